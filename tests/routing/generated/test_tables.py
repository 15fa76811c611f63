"""Tables of the best ways, and their parts: orders, ranks, paths and loads."""

import numpy as np
import pytest
from helpers.digraphs import digraphs, linked, one_way
from hypothesis import given, settings
from knotwork import Mesh, Moebius, Network
from knotwork.routing.generated import tables
from knotwork.routing.generated.paths import all_paths, link_load
from knotwork.routing.generated.ranks import UNUSED, by_ports, layered
from knotwork.routing.generated.routing import router_distances
from knotwork.routing.generated.tables import best_table, nodes_of, uniform_flits
from knotwork.routing.generated.updown import order_by_distance, roots, updown_ranks


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
