"""Balanced ways near the bound of the fullest link, in ways that a table can tell."""

import numpy as np
import pytest
from helpers.digraphs import linked
from helpers.irregular import random_regular
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.routing.generated import bound
from knotwork.routing.generated.balance import balanced_table
from knotwork.routing.generated.bound import load_bound, proven_load
from knotwork.routing.generated.paths import link_load
from knotwork.routing.generated.tables import uniform_flits


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
    monkeypatch.setattr(bound, "COLUMN_LIMIT", 10)
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
