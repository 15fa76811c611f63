"""Minimal paths: how many classes an order needs, and orders that are improved."""

import numpy as np
import pytest
from helpers.digraphs import linked
from knotwork import Hypercube, Mesh, Torus
from knotwork.errors import ConfigurationError
from knotwork.routing.made import shortest
from knotwork.routing.made.routing import router_distances
from knotwork.routing.made.shortest import classes_needed, orders_of, shortest_table
from knotwork.routing.made.tables import uniform


def test_classes_of_known_orders():
    assert classes_needed(Mesh(x=4, y=4), np.arange(16)) == 1  # negative first
    assert classes_needed(Hypercube(n=4), np.arange(16)) == 1
    path = linked(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert classes_needed(path, np.array([2, 0, 3, 1, 4])) == 2  # up, down, up, down
    assert classes_needed(path, np.array([0, 3, 1, 4, 2])) == 3
    seven = linked(7, [(i, i + 1) for i in range(6)])
    assert classes_needed(seven, np.array([0, 4, 1, 5, 2, 6, 3])) == 4


def test_orders_are_improved_to_fewer_classes():
    """A path of nine in a bad order: by other orders one class is enough."""
    topology = linked(9, [(i, i + 1) for i in range(8)])
    bad = np.array([0, 5, 1, 6, 2, 7, 3, 8, 4])
    assert classes_needed(topology, bad) == 5
    better = shortest._improved(topology, [bad], 2, 1)
    assert better is not None
    assert classes_needed(topology, better) <= 2


def test_as_few_classes_as_known_routings_have():
    """Dimension order needs two on a torus, and one where rings have at most four routers."""
    for topology, classes in ((Torus(x=4, y=4), 1), (Torus(x=5, y=5), 2), (Torus(x=8, y=8), 2)):
        distances = router_distances(topology, "")
        table = shortest_table(topology, uniform(topology), distances, seed=1, owner="torus")
        assert table.bound.classes <= classes
        assert (table.lengths == distances).all()


def test_orders_are_permutations():
    topology = Torus(x=4, y=4)
    orders = list(orders_of(router_distances(topology, ""), 7))
    assert len(orders) > 3
    assert all(sorted(order.tolist()) == list(range(16)) for order in orders)


def test_too_many_classes_are_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(shortest, "CLASSES", 1)
    topology = linked(5, [(i, (i + 1) % 5) for i in range(5)])
    distances = router_distances(topology, "")
    with pytest.raises(ConfigurationError) as error:
        shortest_table(topology, uniform(topology), distances, seed=1, owner="it")
    assert str(error.value) == (
        "it must have at most 1 classes of virtual channels, not the 2 that were found"
    )
