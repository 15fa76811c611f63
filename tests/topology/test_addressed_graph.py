"""Nodes at their routers' ports; addresses and senders of all networks are in test_base.py."""

import pytest
from helpers.served import Served
from knotwork import Hypercube, Mesh
from knotwork.topology.addressed_graph import LOCAL, RECEIVES, SENDS, AddressedGraph


def test_a_topology_is_known_to_be_of_its_class():
    graph = Hypercube(n=3)
    assert Hypercube.of(graph) is graph
    assert AddressedGraph.of(graph) is graph
    with pytest.raises(TypeError, match="Mesh"):
        Mesh.of(graph)


def test_nodes_and_their_ports_where_routers_serve_several_or_none():
    graph = Served()
    assert graph.local_nodes.tolist() == [[0, 1], [-1, -1], [2, -1]]
    assert [part.tolist() for part in graph.node_places] == [[0, 0, 2], [0, 1, 0]]
    ports = [graph.connected_ports(router) for router in range(3)]
    assert ports == [(0, 1, 2, 3), (2, 3), (0, 2, 3)]
    both = SENDS + RECEIVES
    assert graph.port_uses.tolist() == [
        [both, both, SENDS, RECEIVES],
        [0, 0, SENDS, both],
        [both, 0, RECEIVES, both],
    ]


def test_a_router_serves_its_node_by_its_first_port():
    graph = Mesh(x=3, y=2)
    assert graph.local_nodes.tolist() == [[node] for node in range(6)]
    assert (graph.port_uses[:, LOCAL] == SENDS + RECEIVES).all()
    assert [graph.connected_ports(router)[0] for router in range(6)] == [LOCAL] * 6
