"""Minimal paths: how many classes an order needs, and orders that are improved."""

import numpy as np
import pytest
from helpers.digraphs import linked
from helpers.irregular import mesh_with_dead, random_regular
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.routing.generated import shortest
from knotwork.routing.generated.paths import link_load
from knotwork.routing.generated.ranks import layered
from knotwork.routing.generated.routing import router_distances
from knotwork.routing.generated.shortest import classes_needed, orders_of, shortest_table
from knotwork.routing.generated.tables import uniform_flits


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
    better = shortest._improved(topology, [bad], 2, 1)
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
    monkeypatch.setattr(shortest, "CLASSES", 1)
    topology = linked(5, [(i, (i + 1) % 5) for i in range(5)])
    distances = router_distances(topology, "")
    assert refused(
        lambda: shortest_table(topology, uniform_flits(topology), distances, seed=1, owner="it")
    ) == ("it must have at most 1 classes of virtual channels, not the 2 that were found")
