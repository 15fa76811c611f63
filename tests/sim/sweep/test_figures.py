from pathlib import Path

import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.figures import SUFFIXES, check_figure, new_figure


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.SVG"])
def test_kinds_of_figures(name):
    check_figure(Path(name))


@pytest.mark.parametrize(("name", "said"), [("a.pdf", "'.pdf'"), ("svg", "''")])
def test_other_kinds_are_refused(name, said):
    with pytest.raises(ConfigurationError) as refusal:
        check_figure(Path(name))
    assert str(refusal.value) == f"{name}: a figure must end in .svg or .png, not {said}"


@pytest.mark.parametrize("kind", [suffix[1:] for suffix in SUFFIXES])
def test_the_same_drawing_gives_the_same_bytes(kind):
    def drawn():
        with new_figure((2.0, 1.0), kind) as (figure, data):
            figure.add_subplot().plot([0, 1], [1, 0])
        return data.getvalue()

    assert drawn() == drawn() != b""
