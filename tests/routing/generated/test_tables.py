"""Tables of the best ways, and their parts: orders, ranks, paths and loads."""

import numpy as np
import pytest
from helpers.digraphs import Digraph, digraphs, linked, one_way, random_regular
from hypothesis import given, settings
from knotwork import Graph, GraphFile, Mesh, Moebius, Network
from knotwork.routing.generated import tables
from knotwork.routing.generated.bounds import load_bound
from knotwork.routing.generated.ranks import (
    UNUSED,
    Ranks,
    by_ports,
    layered,
    order_by_distance,
    roots,
    updown_ranks,
)
from knotwork.routing.generated.routings import router_distances
from knotwork.routing.generated.tables import (
    all_paths,
    best_table,
    fewer_classes,
    link_load,
    nodes_of,
    plan_table,
    spread_plan,
    table_paths,
    uniform_flits,
)


def test_the_root_is_in_the_middle():
    path = linked(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    distances = router_distances(path, "path")
    assert roots(distances)[0] == 2
    assert order_by_distance(distances[2]).tolist() == [3, 1, 0, 2, 4]


@settings(max_examples=30, deadline=None)
@given(topology=digraphs(most=24))
def test_one_class_of_a_digraph_leads_everyone_up_and_down(topology):
    ranks = updown_ranks(topology, router_distances(topology, ""))
    if ranks.classes > 1:
        return
    rank, near = ranks.rank[:, :, 0], topology.neighbours
    routers = len(near)
    up = (rank >= 0) & (rank < routers)
    down = rank >= routers
    assert not (up & down).any()
    assert (up.any(axis=1)).sum() >= routers - 1
    assert len(set(near[down].tolist())) >= routers - 1


def test_channels_are_handed_on_until_everyone_has_one():
    """Router 1 can reach the root by 0 or 2, of which 2 has one way only."""
    topology = one_way(3, [(0, 1), (1, 0), (1, 2), (2, 0), (0, 2), (2, 1)])
    ranks = updown_ranks(topology, router_distances(topology, ""))
    assert ranks.classes == 1
    assert np.unique(ranks.rank[topology.neighbours >= 0]).min() >= 0


LINE = linked(3, [(0, 1), (1, 2)])


def test_packets_go_up_then_down_in_a_class():
    """Router 1 is the top: 0 and 2 send up to it, and it sends down."""
    rank = layered(LINE, [np.array([1, 0, 2])]).rank[:, :, 0]
    up, down = rank[[0, 2], [1, 1]], rank[1, [1, 2]]
    assert up.max() < down.min()
    assert (rank[:, 0] == UNUSED).all()


def test_later_classes_are_above_all_earlier_ones():
    ranks = layered(LINE, [np.arange(3), np.arange(3)[::-1]])
    used = LINE.neighbours >= 0
    assert ranks.rank[used, 0].max() < ranks.rank[used, 1].min()
    falling = ranks.rank.ravel()[ranks.falling]
    assert len(falling) == 2 * used.sum()
    assert (np.diff(falling) <= 0).all()


def test_classes_are_repeated():
    first, again = (layered(LINE, [np.arange(3)] * count) for count in (1, 2))
    both = first.repeated(2)
    assert (both.rank[:, :, :1] == first.rank).all()
    assert (both.falling == again.falling).all()


def test_ranks_by_ports_are_those_of_dimension_order():
    """In a mesh, a packet that has gone along y never goes along x again, or turns back."""
    mesh = Mesh(x=3, y=3)
    left, right, up, down = (mesh.ports.index(name) for name in "LRUD")
    rank = by_ports(mesh, np.arange(9)).rank[:, :, 0]
    used = mesh.neighbours >= 0
    most, least = rank[:, [left, right]].max(), rank[:, [up, down]]
    assert most < least[used[:, [up, down]]].min()
    assert rank[3, right] < rank[4, right]
    assert rank[5, left] < rank[4, left]
    last = by_ports(mesh, np.arange(9), last_first=True).rank[:, :, 0]
    assert last[:, [up, down]].max() < last[:, [left, right]][used[:, [left, right]]].min()
    assert (rank[~used] == UNUSED).all()


ROUTING = Network(Moebius(n=4)).routing


def links_of(source, destination):
    ports = len(ROUTING.topology.ports)
    return [hop.router * ports + hop.port for hop in ROUTING.hops(source, destination)[:-1]]


def test_paths_are_those_of_the_rule():
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    paths = all_paths(ROUTING)
    assert [path[path >= 0].tolist() for path in paths] == [links_of(*pair) for pair in pairs]


def test_load_counts_the_flits_of_all_pairs():
    flits = np.random.default_rng(1).random((16, 16))
    expected = np.zeros(ROUTING.topology.neighbours.size)
    for a in range(16):
        for b in range(16):
            for link in links_of(a, b) if a != b else ():
                expected[link] += flits[a, b]
    assert np.allclose(link_load(ROUTING, flits), expected)
    same = link_load(ROUTING, np.full((1, 1), 2.0))
    assert same.sum() == 2 * (all_paths(ROUTING) >= 0).sum()


SQUARE = linked(4, [(0, 1), (1, 3), (3, 2), (2, 0)])


def made(topology, *orders):
    return best_table(
        topology, layered(topology, list(orders)), uniform_flits(topology), owner="it"
    )


def test_ways_are_the_shortest_that_ranks_allow():
    table = made(SQUARE, np.arange(4))
    assert table.lengths.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]
    assert table.load.sum() == pytest.approx(4 * (1 + 1 + 2) / 3)


def test_equal_ways_share_the_load():
    """From corner to corner of a square there are two ways each: no link carries a third one."""
    assert made(SQUARE, np.array([0, 2, 3, 1])).load.max() <= 1 + 1e-9


def test_a_way_may_depend_on_its_input():
    """From router 1 up to 0 and down to 4; but from 5 down to 1, and then the long way down."""
    topology = linked(6, [(5, 1), (1, 0), (0, 4), (1, 2), (2, 3), (3, 4)])
    table = made(topology, np.array([1, 2, 3, 4, 5, 0]))
    assert (table.lengths[1, 4], table.lengths[5, 4]) == (2, 4)
    to_0, to_2, to_5 = (topology.neighbours[1].tolist().index(router) for router in (0, 2, 5))
    assert table.bound.entries[1, [0, to_5], 0, 4].tolist() == [8 * to_0, 8 * to_2]


def test_packets_to_a_router_s_own_node_leave_there():
    entries = made(SQUARE, np.arange(4)).bound.entries
    assert (entries[np.arange(4), :, :, np.arange(4)] == 0).all()
    assert nodes_of(SQUARE).tolist() == [1] * 4
    assert np.diagonal(uniform_flits(SQUARE)).tolist() == [-1] * 4


def test_too_many_entries_are_refused(refused, monkeypatch):
    monkeypatch.setattr(tables, "CELL_LIMIT", 100)
    mesh = Mesh(x=2, y=3)
    assert refused(
        lambda: best_table(mesh, layered(mesh, [np.arange(6)]), uniform_flits(mesh), owner="mesh")
    ) == ("mesh must have at most 100 states (router, port, class, destination), not 6 x 5 x 1 x 6")


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
    monkeypatch.setattr("knotwork.routing.generated.spreading.fewer_classes", lambda *_: None)
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
    monkeypatch.setattr(tables, "STATE_LIMIT", 100)
    assert (
        refused(lambda: spread(Mesh(x=2, y=3), 1))
        == "it must have at most 100 states (channel, destination), not 180"
    )
