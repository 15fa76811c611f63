"""Networks with several nodes at each router."""

import pickle

import numpy as np
import pytest
import rustworkx
from helpers.long_links import graph_of
from knotwork import Graph, GraphFile, Mesh, Network, Torus, WkRecursive, with_nodes, without
from knotwork.errors import ConfigurationError
from knotwork.own.links import LinkCheck
from knotwork.own.names import NameCheck, SizeCheck
from knotwork.topology import TOPOLOGIES


@pytest.mark.parametrize(
    ("whole", "count"),
    [(Mesh(x=3, y=2), 2), (Torus(x=3, y=3, directions="one"), 3), (WkRecursive(w=3, levels=1), 8)],
)
def test_is_a_sound_topology_with_as_many_nodes_at_each_router(whole, count):
    topology = with_nodes(whole, count)
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    assert topology.local_nodes.tolist() == [
        [count * router + port for port in range(count)] for router in range(whole.routers)
    ]
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(topology.routers))
    near = topology.neighbours
    graph.add_edges_from_no_data([(a, int(near[a, p])) for a, p in np.argwhere(near >= 0).tolist()])
    hops = rustworkx.digraph_distance_matrix(graph).repeat(count, 0).repeat(count, 1)
    assert (topology.node_distances() == hops).all()
    assert topology.diameter == hops.max()
    nodes = topology.nodes
    assert topology.average_distance == pytest.approx(hops.sum() / (nodes * (nodes - 1)))
    assert len(np.unique(topology.node_layout(), axis=0)) == nodes


def test_is_called_by_the_whole_network_and_the_port():
    topology = with_nodes(Mesh(x=4, y=3), 3)
    assert topology.ports == ("local0", "local1", "local2", "L", "R", "U", "D")
    assert topology.address(17) == 5 << 2 | 2
    assert [topology.node_at(code) for code in (5 << 2 | 2, 5 << 2 | 3, 12 << 2)] == [
        17,
        None,
        None,
    ]
    assert (topology.label(17), topology.router_label(5)) == ("1.1.2", "1.1")
    assert topology.instance_name == "mesh_x4_y3_nodes_per_router3"
    assert topology.as_dict() == {"x": 4, "y": 3, "nodes_per_router": 3}
    assert repr(topology) == "with_nodes(Mesh(x=4, y=3, z=1), 3)"
    assert pickle.loads(pickle.dumps(topology)) == topology


def test_with_one_it_is_the_network_itself():
    whole = Mesh(x=3, y=2)
    assert with_nodes(whole, "1") is whole
    one, plain = (Network.from_word(f"mesh:x=3,y=2{rest}") for rest in (",nodes_per_router=1", ""))
    assert (one.name, one.parameters) == (plain.name, plain.parameters)


def test_nodes_are_lost_with_their_router():
    left = Network.from_word("mesh:x=3,y=2,nodes_per_router=2,dead=1").topology
    assert left == without(with_nodes(Mesh(x=3, y=2), 2), "1")
    assert left.local_nodes.tolist() == [[2 * router, 2 * router + 1] for router in range(5)]
    assert left.label(2) == "0.2.0"


@pytest.mark.parametrize("count", [0, 9, "two", 2.5])
def test_how_many_there_may_be(count):
    with pytest.raises(ConfigurationError) as refusal:
        with_nodes(Mesh(x=4, y=4), count)
    assert str(refusal.value) == (f"mesh: nodes_per_router must be an integer in 1..8, not {count}")


def test_a_network_that_says_where_its_nodes_are():
    with pytest.raises(ConfigurationError) as refusal:
        with_nodes(Graph(file=GraphFile.of([(0, 1)], nodes=[2, 0])), 2)
    assert str(refusal.value) == (
        "graph: nodes_per_router must be 1 in a network that says which nodes its routers serve, "
        "not 2"
    )


def test_who_has_the_key():
    for name in TOPOLOGIES.shipped:
        if not TOPOLOGIES[name].is_direct:
            with pytest.raises(ConfigurationError, match="not 'nodes_per_router'"):
                Network.from_texts(name, {"nodes_per_router": "2"})
    for word in ("hypercube:n=3,routing=lc1", "hypercube:n=3,router=deflection"):
        with pytest.raises(ConfigurationError, match="; nodes_per_router goes with rout"):
            Network.from_word(f"{word},nodes_per_router=2")


def test_links_take_as_long_as_in_the_whole_network():
    topology = with_nodes(graph_of([(0, 1, 3), (1, 2), (2, 0, 5)]), 2)
    LinkCheck(topology).run()
    assert topology.link_latency[:, :2].tolist() == [[1, 1]] * 3
    assert sorted(topology.link_latency[:, 2:].ravel().tolist()) == [1, 1, 3, 3, 5, 5]
    assert with_nodes(Mesh(x=2, y=2), 2).link_latency is None
