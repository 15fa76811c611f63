"""Balanced ways: near the bound, in ways that a table can tell."""

import numpy as np
import pytest
from helpers.irregular import random_regular
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.routing.made.balance import balanced_table
from knotwork.routing.made.bound import load_bound
from knotwork.routing.made.paths import link_load
from knotwork.routing.made.tables import uniform


def table_of(topology, seed=1):
    weights = uniform(topology)
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
    assert np.allclose(load, network.routing.made.load.ravel())


def test_no_more_classes_than_gain_something():
    """A tree has one way for each pair."""
    _, table = table_of(Mesh(x=2, y=2))
    assert table.bound.classes <= 2


@pytest.mark.parametrize("topology", [Mesh(x=5, y=4), Hypercube(n=4), Torus(x=4, y=4)])
def test_ports_in_turn_need_one_class_on_meshes_and_hypercubes(topology):
    """As dimension order, which is at the bound there; on a torus it needs two."""
    network = Network(topology, routing="balanced")
    bound = load_bound(topology, uniform(topology))
    assert network.routing.made.load.max() <= 1.05 * bound.load + 1 / (topology.nodes - 1)
    assert network.deadlock_report.deadlock_free
    assert network.virtual_channels == (2 if topology.name == "torus" else 1)
