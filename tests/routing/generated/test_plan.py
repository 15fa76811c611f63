"""Plans: ways that are spread, minimal ones where that is asked, and their tables."""

import numpy as np
import pytest
from helpers.digraphs import Digraph, linked, one_way
from helpers.irregular import random_regular
from knotwork import Graph, GraphFile, Mesh, Network
from knotwork.routing.generated import plan as plan_module
from knotwork.routing.generated.bound import load_bound
from knotwork.routing.generated.paths import all_paths
from knotwork.routing.generated.plan import fewer_classes, plan_table, spread_plan, table_paths
from knotwork.routing.generated.ranks import Ranks, layered
from knotwork.routing.generated.routing import router_distances
from knotwork.routing.generated.tables import best_table, uniform_flits

BUSY = random_regular(30, 3, 2)


def spread(topology, classes, **keys):
    ranks = layered(topology, [np.arange(topology.routers)]).repeated(classes)
    keys = {"aim": 1.0, "passes": 20, "seed": 1, "owner": "it"} | keys
    return ranks, spread_plan(topology, uniform_flits(topology), ranks, **keys)


def test_minimal_ways_are_spread_better_than_one_after_the_other():
    distances, weights = router_distances(BUSY, ""), uniform_flits(BUSY)
    ranks, plan = spread(BUSY, 4, distances=distances)
    table = plan_table(BUSY, weights, plan)
    assert (table.lengths == distances).all()
    assert table.load.max() == pytest.approx(plan.fullest)
    assert plan.fullest < 0.95 * best_table(BUSY, ranks, weights, owner="it").load.max()


def test_ways_may_be_longer_where_nothing_else_is_asked():
    """Two routers of four exchange more than the link between them has in its share."""
    square = linked(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    weights = np.where(uniform_flits(square) < 0, -1.0, 0.0)
    weights[[1, 2], [3, 0]] = 1.0, 3.0
    ranks = layered(square, [np.arange(4)]).repeated(2)
    keys = {"aim": 1.0, "passes": 20, "seed": 1, "owner": "it"}
    plan = spread_plan(square, weights, ranks, **keys)
    assert plan.fullest == pytest.approx(3.0)
    assert plan_table(square, weights, plan).load[2].max() == pytest.approx(3.0)


def test_ranks_that_leave_a_pair_without_a_way_have_no_plan():
    line = linked(3, [(0, 1), (1, 2)])
    rank = layered(line, [np.arange(3)]).rank.copy()
    rank[1, 2, 0] = -1  # from 1 to 2
    keys = {"aim": 1.0, "passes": 4, "seed": 1, "owner": "it"}
    assert spread_plan(line, uniform_flits(line), Ranks(rank), **keys) is None
    # Up, down, up again: one class has no minimal way for that.
    path = linked(4, [(0, 1), (1, 2), (2, 3)])
    bad = layered(path, [np.array([2, 0, 3, 1])])
    assert spread_plan(path, uniform_flits(path), bad, **keys) is None
    assert spread_plan(path, uniform_flits(path), bad.repeated(2), **keys) is not None


ONE_WAY = one_way(19, sorted([
    *((a, (a + 1) % 19) for a in range(19)),
    *((4, 10), (4, 11), (5, 2), (7, 11), (11, 14), (14, 6), (16, 4), (16, 7), (18, 14)),
]))  # fmt: skip
"""Orders of routers give its minimal paths three classes."""


@pytest.mark.parametrize("name", ["updown", "shortest", "balanced"])
@pytest.mark.parametrize("topology", [ONE_WAY, Mesh(x=3, y=2)])
def test_paths_of_a_table_are_those_of_its_routing(topology, name):
    routing = Network(topology, routing=name).routing
    found, told = table_paths(topology, routing.generated), all_paths(routing)
    assert {tuple(path[path >= 0]) for path in found} == {tuple(path[path >= 0]) for path in told}


def test_paths_of_a_table_are_between_routers_with_nodes():
    """Routers 1 and 3 of a ring of four have none, 2 has two."""
    file = GraphFile.of([(0, 1), (1, 2), (2, 3), (3, 0)], nodes=[1, 0, 2, 0])
    network = Network(Graph(file=file), routing="shortest")
    paths = table_paths(network.topology, network.routing.generated)
    assert paths.shape == (2, 2)
    tails = paths // network.topology.neighbours.shape[1]
    assert tails[:, 0].tolist() == [0, 2]


def test_fewer_classes_are_used_where_all_paths_can_rise_in_them(monkeypatch):
    monkeypatch.setattr("knotwork.routing.generated.shortest.fewer_classes", lambda *_: None)
    by_orders = Network(Digraph(size=19, joins=ONE_WAY.joins), routing="shortest")
    assert by_orders.virtual_channels == 3
    assert fewer_classes(ONE_WAY, by_orders.routing.generated).classes == 2
    monkeypatch.undo()
    network = Network(Digraph(size=19, joins=ONE_WAY.joins), routing="shortest")
    assert network.virtual_channels == 2
    assert network.deadlock_report.deadlock_free
    assert (network.routing.generated.lengths == router_distances(ONE_WAY, "")).all()


def test_balanced_uses_fewer_classes_if_its_load_stays_near_the_bound():
    five = linked(5, [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3), (2, 4), (3, 4)])
    network = Network(five, routing="balanced")
    assert network.virtual_channels == 1
    assert network.deadlock_report.deadlock_free
    bound = load_bound(five, uniform_flits(five)).load
    assert network.routing.generated.load.max() <= 1.05 * bound + 0.25


def test_a_number_of_classes_that_is_least_has_no_fewer():
    ring = Network(one_way(5, [(a, (a + 1) % 5) for a in range(5)]), routing="shortest")
    assert ring.virtual_channels == 2
    assert fewer_classes(ring.topology, ring.routing.generated) is None


def test_too_many_states_are_refused(refused, monkeypatch):
    monkeypatch.setattr(plan_module, "STATE_LIMIT", 100)
    assert (
        refused(lambda: spread(Mesh(x=2, y=3), 1))
        == "it must have at most 100 states (channel, destination), not 180"
    )
