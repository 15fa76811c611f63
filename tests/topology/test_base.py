import numpy as np
import pytest
from helpers.ring import Ring
from knotwork import CubeConnectedCycles, Hypercube, Moebius
from knotwork.topology import TOPOLOGIES, metrics

SMALL = [
    *(Hypercube(n=n) for n in range(1, 8)),
    *(Moebius(n=n, twist=twist) for n in range(1, 8) for twist in (0, 1)),
    *(CubeConnectedCycles(n=n) for n in range(2, 8)),
    Ring(nodes=5),
    Ring(nodes=6),
]


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.instance_name)
def test_a_link_leads_back_from_its_peer_port(topology):
    for router, port in np.argwhere(topology.neighbours >= 0).tolist():
        far, far_port = topology.neighbours[router, port], topology.peer_ports[router, port]
        assert topology.neighbours[far, far_port] == router
        assert topology.peer_ports[far, far_port] == port
        marks = topology.is_link_marked(router, port), topology.is_link_marked(far, far_port)
        assert marks[0] == marks[1]


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.instance_name)
def test_the_local_port_has_no_link(topology):
    assert topology.ports[0] == "local"
    assert (topology.neighbours[:, 0] == -1).all()
    assert topology.neighbours.shape == (topology.routers, len(topology.ports))


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.instance_name)
def test_addresses_lead_back_to_their_nodes(topology):
    for node in range(topology.nodes):
        assert 0 <= topology.address(node) < 1 << topology.address_width
        assert topology.node_at(topology.address(node)) == node
    known = [topology.node_at(address) for address in range(1 << topology.address_width)]
    assert sum(node is not None for node in known) == topology.nodes
    unused = {address for address, node in enumerate(known) if node is None}
    assert unused == set(topology.unused_addresses)
    assert len({topology.label(node) for node in range(topology.nodes)}) == topology.nodes


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.instance_name)
def test_layout_gives_every_router_a_place_of_its_own(topology):
    layout = topology.layout()
    assert layout.shape == (topology.routers, 2)
    away = np.hypot(*(layout[:, None] - layout[None, :]).transpose(2, 0, 1))
    assert away[~np.eye(len(layout), dtype=bool)].min() > 0.1


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.instance_name)
def test_pairs_by_distance_are_those_of_the_full_search(topology):
    every = metrics.distance_counts(topology.neighbours)
    assert topology.distance_counts.tolist() == every.tolist()


def test_ring_of_six_has_two_addresses_without_a_node():
    ring = Ring(nodes=6)
    assert ring.address_width == 3
    assert [ring.node_at(address) for address in (5, 6, 7)] == [5, None, None]
    assert ring.unused_addresses == [6, 7]


def test_a_ring_is_searched_where_no_formula_gives_its_distances():
    assert Ring(nodes=6).diameter == 3
    assert Ring(nodes=6).average_distance == pytest.approx((1 + 1 + 2 + 2 + 3) / 5)
    assert Ring(nodes=7).distance(1, 5) == 3


def test_beyond_the_search_unknown_is_none(monkeypatch):
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 5)
    assert Ring(nodes=6).diameter is None
    assert Ring(nodes=6).average_distance is None
    assert Ring(nodes=5).diameter == 2
    assert Moebius(n=3).diameter == 2
    assert Moebius(n=3).average_distance is None


def test_registry_names_each_topology_by_its_name():
    assert {"hypercube", "moebius", "ccc"} <= set(TOPOLOGIES)
    assert all(topology.name == name for name, topology in TOPOLOGIES.items())


def test_instance_name_carries_the_parameters():
    assert Moebius(n=4, twist=1).instance_name == "moebius_n4_twist1"
    assert Hypercube(n=3).label(5) == "101"
