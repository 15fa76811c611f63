"""Minimal paths: how many classes an order needs, and orders that are improved."""

import numpy as np
import pytest
from helpers.digraphs import linked, mesh_with_dead, random_regular
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.routing.generated import bounds, spreading
from knotwork.routing.generated.bounds import load_bound, proven_load
from knotwork.routing.generated.ranks import layered
from knotwork.routing.generated.routings import router_distances
from knotwork.routing.generated.spreading import (
    balanced_table,
    classes_needed,
    orders_of,
    shortest_table,
)
from knotwork.routing.generated.tables import link_load, uniform_flits


def needed(topology, places):
    return classes_needed(topology, layered(topology, [np.array(places)]))


def test_classes_of_known_orders():
    assert needed(Mesh(x=4, y=4), range(16)) == 1  # negative first
    assert needed(Hypercube(n=4), range(16)) == 1
    path = linked(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert needed(path, [2, 0, 3, 1, 4]) == 2  # up, down, up, down
    assert needed(path, [0, 3, 1, 4, 2]) == 3
    seven = linked(7, [(i, i + 1) for i in range(6)])
    assert needed(seven, [0, 4, 1, 5, 2, 6, 3]) == 4


def test_orders_are_improved_to_fewer_classes():
    """A path of nine in a bad order: by other orders one class is enough."""
    topology = linked(9, [(i, i + 1) for i in range(8)])
    bad = np.array([0, 5, 1, 6, 2, 7, 3, 8, 4])
    assert needed(topology, bad) == 5
    better = spreading._improved(topology, [bad], 2, 1)
    assert better is not None
    assert needed(topology, better) <= 2


@pytest.mark.parametrize(
    ("topology", "fullest"),
    [
        (Hypercube(n=6), 32 / 63),  # each half of the nodes sends to the other over 32 links
        (Mesh(x=8, y=8), 2 * 64 / 63),  # 32 send to 32 over 8 links
        (Mesh(x=3, y=5), 6 * 9 / 14 / 3),
    ],
)
def test_no_routing_has_less_load_than_dimension_order_on_meshes(topology, fullest):
    network = Network(topology, routing="shortest")
    each = np.full((1, 1), 1 / (topology.nodes - 1))
    assert network.virtual_channels == 1
    assert link_load(network.routing, each).max() == pytest.approx(fullest)


@pytest.mark.parametrize("topology", [random_regular(40, 4, 3), mesh_with_dead(2, 4, x=6, y=6)])
def test_ways_are_spread_over_the_links(topology):
    """As much as `balanced` does, whose paths may be longer, but for a fifth."""
    loads = {}
    for name in ("shortest", "balanced"):
        routing = Network(topology, routing=name).routing
        loads[name] = link_load(routing, np.full((1, 1), 1.0)).max()
    assert loads["shortest"] <= 1.2 * loads["balanced"]


def test_as_few_classes_as_known_routings_have():
    """Dimension order needs two on a torus, and one where rings have at most four routers."""
    for topology, classes in ((Torus(x=4, y=4), 1), (Torus(x=5, y=5), 2), (Torus(x=8, y=8), 2)):
        distances = router_distances(topology, "")
        table = shortest_table(topology, uniform_flits(topology), distances, seed=1, owner="torus")
        assert table.bound.classes <= classes
        assert (table.lengths == distances).all()


def test_orders_are_permutations():
    topology = Torus(x=4, y=4)
    orders = list(orders_of(router_distances(topology, ""), 7))
    assert len(orders) > 3
    assert all(sorted(order.tolist()) == list(range(16)) for order in orders)


def test_too_many_classes_are_refused_with_their_number(refused, monkeypatch):
    monkeypatch.setattr(spreading, "CLASSES", 1)
    topology = linked(5, [(i, (i + 1) % 5) for i in range(5)])
    distances = router_distances(topology, "")
    assert refused(
        lambda: shortest_table(topology, uniform_flits(topology), distances, seed=1, owner="it")
    ) == ("it must have at most 1 classes of virtual channels, not the 2 that were found")


@pytest.mark.parametrize(
    ("topology", "load"),
    [
        (Hypercube(n=4), 8 / 15),  # 2^(n-1) flits of 2^n - 1 a link, all links alike
        (Mesh(x=4, y=4), 16 / 15),  # 8 x 8 pairs over the 4 links of the bisection
        (Torus(x=4, y=4), 8 / 15),  # mean distance 32 / 15, over 4 links a router
        (linked(2, [(0, 1)]), 1.0),
        (linked(4, [(0, 1), (0, 2), (0, 3)]), 1.0),  # a star: a leaf's own link
    ],
)
def test_bounds_of_known_networks(topology, load):
    found = load_bound(topology, uniform_flits(topology))
    assert found.load == pytest.approx(load, rel=1e-6)
    assert found.by == "linear program"
    # The flows of the program leave each router and come to their ends.
    near = topology.neighbours
    into = near.ravel() == 0
    assert found.flows[0, into].sum() == pytest.approx(1.0, rel=1e-5)


def test_lengths_that_are_tried_prove_nearly_as_much(monkeypatch):
    monkeypatch.setattr(bounds, "COLUMN_LIMIT", 10)
    for topology in (Mesh(x=4, y=4), Torus(x=4, y=4)):
        found = load_bound(topology, uniform_flits(topology))
        assert found.by == "lengths of links"
        assert found.flows is None
        assert found.load <= {"mesh": 16 / 15, "torus": 8 / 15}[topology.name] + 1e-9
        assert found.load >= 0.9 * {"mesh": 16 / 15, "torus": 8 / 15}[topology.name]


@settings(max_examples=20, deadline=None)
@given(lengths=st.lists(st.floats(0, 5), min_size=45, max_size=45), seed=st.integers(0, 9))
def test_no_lengths_prove_more_than_a_routing_has(lengths, seed):
    topology = Mesh(x=3, y=3)
    near = np.ascontiguousarray(topology.neighbours, np.int32)
    lengths = np.where(near.ravel() >= 0, lengths, 0.0)
    wanted = np.maximum(uniform_flits(topology), 0)
    network = Network(topology, routing=("dimension_order", "updown")[seed % 2])
    load = link_load(network.routing, np.full((1, 1), 1 / 8)).max()
    if lengths.sum() > 0:
        assert proven_load(near, lengths, wanted) <= load + 1e-9


def test_nothing_to_send_is_no_load():
    assert load_bound(Mesh(x=2, y=2), np.zeros((4, 4))).load == 0


def table_of(topology, seed=1):
    weights = uniform_flits(topology)
    bound = load_bound(topology, weights)
    orders = [np.arange(topology.routers)]
    return bound, balanced_table(topology, weights, bound, orders, seed=seed, owner="it")


@pytest.mark.parametrize("topology", [Mesh(x=4, y=4), Hypercube(n=4), random_regular(20, 3, 1)])
def test_the_fullest_link_is_near_the_bound(topology):
    bound, table = table_of(topology)
    unit = 1 / (topology.nodes - 1)
    assert table.load.max() <= 1.05 * bound.load + unit
    assert table.load.max() >= bound.load - 1e-6


def test_its_load_is_that_of_its_table():
    network = Network(random_regular(20, 3, 2), routing="balanced")
    load = link_load(network.routing, np.full((1, 1), 1 / 19))
    assert np.allclose(load, network.routing.generated.load.ravel())


def test_no_more_classes_than_gain_something():
    """A tree has one way for each pair."""
    _, table = table_of(Mesh(x=2, y=2))
    assert table.bound.classes <= 2


@pytest.mark.parametrize("topology", [Mesh(x=5, y=4), Hypercube(n=4), Torus(x=4, y=4)])
def test_ports_in_turn_need_one_class_on_meshes_and_hypercubes(topology):
    """As dimension order, which is at the bound there; on a torus it needs two."""
    network = Network(topology, routing="balanced")
    bound = load_bound(topology, uniform_flits(topology))
    assert network.routing.generated.load.max() <= 1.05 * bound.load + 1 / (topology.nodes - 1)
    assert network.deadlock_report.deadlock_free
    assert network.virtual_channels == (2 if topology.name == "torus" else 1)
