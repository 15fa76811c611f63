import pytest
from knotwork_boards.report.canvas import add_title, new_figure


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_figure_has_the_same_bytes_each_time(kind, start):
    drawn = []
    for _ in range(2):
        with new_figure((2, 1), kind) as (figure, data):
            figure.add_subplot().plot([1, 2])
        drawn.append(data.getvalue())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(start)


@pytest.mark.parametrize("letters", [5, 60, 120])
def test_a_title_fits_its_figure(letters):
    with new_figure((4, 1), "png") as (figure, _):
        add_title(figure, "m" * letters if letters == 5 else "network_8" * (letters // 9))
        figure.draw_without_rendering()
        (title,) = figure.texts
        assert title.get_window_extent().x1 <= figure.bbox.x1
        assert title.get_fontsize() <= 11
