from pathlib import Path

import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.plots.figures import KINDS, check_figure, check_output, new_figure


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.SVG", "a.pdf"])
def test_kinds_of_figures(name):
    assert check_figure(Path(name)) == name[2:].lower()


def test_a_table_is_an_output_where_there_are_tables():
    check_output(Path("a.csv"), tables=True)
    check_output(Path("a.png"), tables=False)
    with pytest.raises(ConfigurationError, match=r"a figure must end in .*, not '.csv'"):
        check_output(Path("a.csv"), tables=False)


@pytest.mark.parametrize(("name", "said"), [("a.eps", "'.eps'"), ("svg", "''")])
def test_other_kinds_are_refused(name, said):
    with pytest.raises(ConfigurationError) as refusal:
        check_figure(Path(name))
    assert str(refusal.value) == f"{name}: a figure must end in .svg, .png or .pdf, not {said}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_drawing_gives_the_same_bytes(kind):
    def drawn():
        with new_figure((2.0, 1.0), kind) as (figure, data):
            figure.add_subplot().plot([0, 1], [1, 0])
        return data.getvalue()

    assert drawn() == drawn() != b""
