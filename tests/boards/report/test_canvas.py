import pytest
from knotwork_boards.report.canvas import new_figure


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_figure_has_the_same_bytes_each_time(kind, start):
    drawn = []
    for _ in range(2):
        with new_figure((2, 1), kind) as (figure, data):
            figure.add_subplot().plot([1, 2])
        drawn.append(data.getvalue())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(start)
