"""Addresses, senders and ports of all networks."""

import numpy as np
import pytest
from helpers.served import Served
from knotwork import Hypercube, Lcan, Mesh, Rp, Torus, WkRecursive
from knotwork.topology.addressed_graph import LOCAL, RECEIVES, SENDS, AddressedGraph

GRAPHS = [
    *(Hypercube(n=3), Mesh(x=3, y=2), Rp(k=3), WkRecursive(w=3, levels=2)),
    *(Torus(x=3, y=4, directions="one"), Lcan(d=3, u=2, levels=2)),
]
every = pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.instance_name)


@every
def test_an_address_names_its_node_and_others_name_none(graph):
    codes = [graph.address(node) for node in range(graph.nodes)]
    assert [graph.node_at(code) for code in codes] == list(range(graph.nodes))
    assert sorted({*codes, *graph.unused_addresses}) == list(range(1 << graph.address_width))
    assert all(graph.node_at(code) is None for code in graph.unused_addresses)


@every
def test_a_sender_is_where_the_link_that_comes_in_begins(graph):
    routers, ports = graph.senders
    for router, port in np.argwhere(graph.neighbours >= 0).tolist():
        far, into = graph.neighbours[router, port], graph.peer_ports[router, port]
        assert (routers[far, into], ports[far, into]) == (router, port)


@every
def test_names_are_distinct_and_fit_verilog(graph):
    names = [graph.router_identifier(router) for router in range(graph.routers)]
    assert len(set(names)) == graph.routers
    assert all(name.replace("_", "").isalnum() for name in names)
    assert all(graph.connected_ports(router)[0] == LOCAL for router in range(graph.routers))


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
    assert [graph.connected_ports(router) for router in range(3)] == [
        (0, 1, 2, 3),
        (2, 3),
        (0, 2, 3),
    ]
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
