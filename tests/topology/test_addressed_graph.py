"""Addresses, senders and ports of all networks."""

import numpy as np
import pytest
from knotwork import Hypercube, Lcan, Mesh, Rp, Torus, WkRecursive
from knotwork.topology.addressed_graph import LOCAL, AddressedGraph

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
