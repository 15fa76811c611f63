"""Networks with several nodes, or with a stream of each class of traffic, at each router."""

import pickle

import numpy as np
import pytest
import rustworkx
from helpers.long_links import graph_of
from knotwork import (
    Graph,
    GraphFile,
    Mesh,
    Moebius,
    Network,
    Torus,
    WkRecursive,
    with_classes,
    with_nodes,
    without,
)
from knotwork.errors import ConfigurationError
from knotwork.topology import TOPOLOGIES
from knotwork.user_defined.checks import LinkCheck, NameCheck, SizeCheck

ALTERED = {"nodes_per_router": with_nodes, "classes": with_classes}
altered = pytest.mark.parametrize(("key", "alter"), ALTERED.items())


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


@pytest.mark.parametrize(
    ("whole", "count"),
    [(Mesh(x=3, y=2), 2), (Torus(x=3, y=3, directions="one"), 3), (Moebius(n=3), 8)],
)
def test_is_a_sound_topology_with_a_stream_of_each_class_at_each_router(whole, count):
    topology = with_classes(whole, count)
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    assert topology.traffic_classes == count
    assert topology.local_nodes.tolist() == [
        [whole.nodes * number + router for number in range(count)]
        for router in range(whole.routers)
    ]
    assert topology.average_distance == whole.average_distance
    assert topology.diameter == whole.diameter
    assert topology.distance_counts.tolist() == (whole.distance_counts * count).tolist()
    assert len(np.unique(topology.node_layout(), axis=0)) == topology.nodes
    places = topology.node_layout().reshape(count, -1, 2).mean(axis=0)
    assert places == pytest.approx(whole.layout())


def test_streams_send_within_their_class():
    topology = with_classes(Mesh(x=2, y=2), 3)
    sides = [list(range(first, first + 4)) for first in (0, 4, 8)]
    assert [list(side) for side in topology.sides] == sides
    for source in range(12):
        may = [node for node in range(12) if topology.may_send(source, node)]
        assert list(topology.receivers(source)) == may == sides[source // 4]


@pytest.mark.parametrize(
    ("key", "node", "label"), [("nodes_per_router", 17, "1.1.2"), ("classes", 29, "1.1.2")]
)
def test_a_node_is_called_by_its_router_and_port(key, node, label):
    alter = ALTERED[key]
    topology = alter(Mesh(x=4, y=3), 3)
    assert topology.ports == ("local0", "local1", "local2", "L", "R", "U", "D")
    assert (topology.router_of(node), topology.node_port(node)) == (5, 2)
    assert topology.address(node) == 5 << 2 | 2
    codes = 5 << 2 | 2, 5 << 2 | 3, 12 << 2
    assert [topology.node_at(code) for code in codes] == [node, None, None]
    assert (topology.label(node), topology.router_label(5)) == (label, "1.1")
    assert topology.instance_name == f"mesh_x4_y3_{key}3"
    assert topology.as_dict() == {"x": 4, "y": 3, key: 3}
    assert repr(topology) == f"{alter.__name__}(Mesh(x=4, y=3, z=1), 3)"
    assert pickle.loads(pickle.dumps(topology)) == topology


@altered
def test_with_one_it_is_the_network_itself(key, alter):
    whole = Mesh(x=3, y=2)
    assert alter(whole, "1") is whole
    one, plain = (Network.from_word(f"mesh:x=3,y=2{rest}") for rest in (f",{key}=1", ""))
    assert (one.name, one.parameters) == (plain.name, plain.parameters)


def test_links_and_nodes_are_those_of_their_routers():
    left = Network.from_word("mesh:x=3,y=2,nodes_per_router=2,dead=1").topology
    assert left == without(with_nodes(Mesh(x=3, y=2), 2), "1")
    assert left.local_nodes.tolist() == [[2 * router, 2 * router + 1] for router in range(5)]
    assert left.label(2) == "0.2.0"
    assert with_classes(without(Mesh(x=3, y=2), "0"), 2).nodes == 10
    topology = with_nodes(graph_of([(0, 1, 3), (1, 2), (2, 0, 5)]), 2)
    LinkCheck(topology).run()
    assert topology.link_latency[:, :2].tolist() == [[1, 1]] * 3
    assert sorted(topology.link_latency[:, 2:].ravel().tolist()) == [1, 1, 3, 3, 5, 5]
    assert with_nodes(Mesh(x=2, y=2), 2).link_latency is None


@altered
@pytest.mark.parametrize("count", [0, 9, "two", None, 2.5])
def test_how_many_there_may_be(key, alter, count):
    with pytest.raises(ConfigurationError) as refusal:
        alter(Mesh(x=4, y=4), count)
    assert str(refusal.value) == f"mesh: {key} must be an integer in 1..8, not {count}"


def test_a_network_that_says_itself_which_nodes_its_routers_serve():
    whole = Graph(file=GraphFile.of([(0, 1)], nodes=[2, 0]))
    with pytest.raises(ConfigurationError) as refusal:
        with_nodes(whole, 2)
    rule = "1 in a network that says which nodes its routers serve"
    assert str(refusal.value) == f"graph: nodes_per_router must be {rule}, not 2"


@pytest.mark.parametrize(
    "whole",
    [with_nodes(Mesh(x=3, y=2), 2), Graph(file=GraphFile.of([(0, 1), (1, 2)], nodes=[2, 0, 1]))],
    ids=["several", "none"],
)
def test_classes_where_routers_have_several_nodes_or_none(whole):
    classed, nodes, locals_ = with_classes(whole, 3), whole.nodes, whole.local_ports
    assert (classed.nodes, classed.local_ports) == (3 * nodes, 3 * locals_)
    assert classed.ports[: 3 * locals_] == tuple(f"local{port}" for port in range(3 * locals_))
    assert classed.ports[3 * locals_ :] == whole.ports[locals_:]
    for node in range(classed.nodes):
        number, place = divmod(node, nodes)
        assert classed.router_of(node) == whole.router_of(place)
        assert classed.node_port(node) == number * locals_ + whole.node_port(place)
        assert classed.port_class(classed.node_port(node)) == number
        assert classed.address(node) == whole.address(place) << 2 | number
        assert classed.node_at(classed.address(node)) == node
        assert classed.label(node) == f"{whole.label(place)}.{number}"
        assert classed.receivers(node) == range(number * nodes, (number + 1) * nodes)
    used = {tuple(place) for place in classed.node_ports_table.T.tolist()}
    assert len(used) == classed.nodes
    shifted = np.where(
        whole.peer_ports[:, locals_:] < 0, -1, whole.peer_ports[:, locals_:] + 2 * locals_
    )
    assert (classed.neighbours[:, 3 * locals_ :] == whole.neighbours[:, locals_:]).all()
    assert (classed.peer_ports[:, 3 * locals_ :] == shifted).all()
    assert (classed.neighbours[:, : 3 * locals_] == -1).all()
    assert len(np.unique(classed.node_layout().round(6), axis=0)) == classed.nodes


def test_who_has_the_key():
    for name in TOPOLOGIES.shipped:
        if not TOPOLOGIES[name].is_direct:
            with pytest.raises(ConfigurationError, match="not 'nodes_per_router'"):
                Network.from_texts(name, {"nodes_per_router": "2"})
    for word in ("hypercube:n=3,routing=lc1", "hypercube:n=3,router=deflection"):
        with pytest.raises(ConfigurationError, match="; nodes_per_router goes with rout"):
            Network.from_word(f"{word},nodes_per_router=2")
