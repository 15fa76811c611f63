import xml.etree.ElementTree as ET

import pytest
from knotwork_sim.search.drawing import draw
from knotwork_sim.search.plan import Plan
from knotwork_sim.search.run import run_search


@pytest.fixture(scope="module")
def found():
    return run_search(Plan(10, 3, effort=100, starts=1))


def test_the_same_answer_gives_the_same_bytes(found):
    assert draw(found, "svg") == draw(found, "svg")
    ET.fromstring(draw(found, "svg"))


@pytest.mark.parametrize(("kind", "begin"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_all_kinds_of_figures_are_drawn(found, kind, begin):
    assert draw(found, kind).startswith(begin)


def test_the_best_graph_and_all_networks_are_shown(found):
    text = draw(found, "svg").decode()
    for row in (found.best, *found.published):
        assert f"<!-- {row.name}" in text
    assert "<!-- Moore bound -->" in text
