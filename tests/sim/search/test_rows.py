import pytest
from knotwork_sim.search.figures import figures
from knotwork_sim.search.graphs import circulant
from knotwork_sim.search.improve import EVERYWHERE, Aim
from knotwork_sim.search.rows import Row


def row(nodes, steps, **more):
    table = circulant(nodes, steps)
    made = figures(table, EVERYWHERE)
    return Row("c", "circulant", made, neighbours=table, steps=steps, **more)


def test_the_aim_decides_which_graph_is_better():
    short, even = row(13, (1, 5)), row(13, (1, 2))
    assert short.merit(Aim(False)) < even.merit(Aim(False))
    assert short.merit(Aim(False))[0] == pytest.approx(short.figures.average_distance)
    assert short.merit(Aim(True))[0] == pytest.approx(short.figures.fullest_channel)


def test_a_ring_is_as_good_as_its_bound():
    assert row(9, (1,)).above(Aim(False)) == pytest.approx(0)
    assert row(9, (1,)).above(Aim(True)) == pytest.approx(0)


def test_the_share_above_the_bound_is_that_of_the_aim():
    graph = row(16, (1, 2))  # 10 routers more are at 2 hops at best; here 4, 4, 4 and 3
    mean = (4 * 1 + 4 * 2 + 4 * 3 + 3 * 4) / 15
    assert graph.above(Aim(False)) == pytest.approx(mean / ((4 + 11 * 2) / 15) - 1)


def test_json_has_the_figures_and_what_made_the_graph():
    told = row(9, (1, 2), swaps=7, rotations=9).as_json(Aim(False))
    assert told["steps"] == [1, 2]
    assert (told["swaps"], told["rotations"]) == (7, 9)
    assert (told["nodes"], told["links"], told["degree_min"], told["degree_max"]) == (9, 18, 4, 4)
    network = Row("torus", "published", figures(circulant(9, (1,)), EVERYWHERE))
    assert not {"steps", "swaps", "rotations"} & set(network.as_json(Aim(False)))
