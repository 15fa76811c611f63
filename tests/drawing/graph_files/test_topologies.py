"""Graph files, read back by other means."""

import re
from collections import Counter
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import rustworkx
from helpers.long_links import network_of
from knotwork.drawing.graph_files.topologies import anynet, edges, graphml
from knotwork.errors import ConfigurationError
from knotwork.network import Network

WORDS = ("hypercube:n=3", "moebius:n=4,twist=1", "wk:w=3,levels=2", "lcan:d=2,u=2,levels=3",
         "cm5:levels=2", "torus:x=2,y=3")  # fmt: skip
SPACE = "{http://graphml.graphdrawing.org/xmlns}"


def links(network):
    """Every link by its ends, vertices numbered as in `edges`, and how often it is there."""
    topology = network.topology
    found = Counter()
    for router in range(topology.routers):
        for peer in topology.neighbours[router]:
            if peer >= 0:
                found[min(router, int(peer)), max(router, int(peer))] += 1
    found = Counter({ends: count // 2 for ends, count in found.items()})
    for router, node in zip(*np.nonzero(topology.attached >= 0), strict=True):
        found[int(router), topology.routers + int(topology.attached[router, node])] += 1
    return found


def read_anynet(text):
    """What BookSim 2 makes of a file: routers of nodes, and pairs of routers."""
    node_list, pairs = {}, set()
    for line in text.splitlines():
        words = line.split(" ")
        kinds, ids = words[::2], [int(word) for word in words[1::2]]
        assert kinds[0] == "router"
        for kind, number in zip(kinds[1:], ids[1:], strict=True):
            if kind == "node":
                assert number not in node_list
                node_list[number] = ids[0]
            else:
                assert kind == "router"
                pairs |= {(ids[0], number), (number, ids[0])}
    return node_list, pairs


def test_a_ring_of_four_by_hand():
    assert anynet(Network.from_word("hypercube:n=2")) == (
        "router 0 node 0 router 1 router 2\n"
        "router 1 node 1 router 3\n"
        "router 2 node 2 router 3\n"
        "router 3 node 3\n"
    )


@pytest.mark.parametrize("word", ["hypercube:n=3", "wk:w=3,levels=2", "lcan:d=2,u=2,levels=3"])
def test_booksim_finds_every_node_and_link(word):
    network = Network.from_word(word)
    topology = network.topology
    node_list, pairs = read_anynet(anynet(network))
    assert node_list == {node: topology.router_of(node) for node in range(topology.nodes)}
    expected = {ends for ends in links(network) if ends[1] < topology.routers}
    assert pairs == expected | {(b, a) for a, b in expected}


@pytest.mark.parametrize("word", WORDS)
def test_edges_are_all_links(word):
    network = Network.from_word(word)
    lines = [line for line in edges(network).splitlines() if not line.startswith("#")]
    pairs = Counter(tuple(map(int, line.split())) for line in lines)
    assert pairs == links(network)


def test_edges_tell_what_the_numbers_are():
    assert edges(Network.from_word("lcan:d=2,u=2,levels=2")).splitlines()[:3] == [
        "# lcan_d2_u2_levels2_interconnectcomplete",
        "# 4 routers: 0..3",
        "# 4 nodes: 4..7",
    ]


@pytest.mark.parametrize("word", WORDS)
def test_graphml_has_all_vertices_and_links(word):
    network = Network.from_word(word)
    topology = network.topology
    root = ET.fromstring(graphml(network))
    (graph,) = root.iter(f"{SPACE}graph")
    declared = {key.get("id") for key in root.iter(f"{SPACE}key")}
    vertices, apart = {}, (topology.attached >= 0).any()
    for vertex in graph.iter(f"{SPACE}node"):
        data = {entry.get("key"): entry.text for entry in vertex.iter(f"{SPACE}data")}
        assert data.keys() <= declared
        index = int(data["index"])
        is_router = data["kind"] == "router"
        vertices[vertex.get("id")] = index if is_router else topology.routers + index
        if not is_router or not apart:
            assert int(data["address"]) == topology.address(index)
            assert data["label"] == topology.label(index)
    assert sorted(vertices.values()) == list(range(topology.routers + topology.nodes * bool(apart)))
    found = Counter(
        (vertices[edge.get("source")], vertices[edge.get("target")])
        for edge in graph.iter(f"{SPACE}edge")
    )
    assert found == links(network)


def test_others_read_the_graphml(tmp_path):
    network = Network.from_word("lcan:d=2,u=2,levels=3")
    (tmp_path / "a.graphml").write_text(graphml(network))
    (graph,) = rustworkx.read_graphml(str(tmp_path / "a.graphml"))
    assert len(graph.nodes()) == network.topology.routers + network.topology.nodes
    assert len(graph.edges()) == links(network).total()
    assert Counter(node["kind"] for node in graph.nodes()) == {"router": 12, "node": 8}


def test_graphml_tells_ports_and_special_links():
    root = ET.fromstring(graphml(Network.from_word("moebius:n=2,twist=0")))
    edge = next(root.iter(f"{SPACE}edge"))
    data = {entry.get("key"): entry.text for entry in edge.iter(f"{SPACE}data")}
    assert data.keys() == {"source_port", "target_port", "special"}
    assert data["source_port"] == data["target_port"]


def test_what_booksim_cannot_have_is_refused():
    with pytest.raises(ConfigurationError) as error:
        anynet(Network.from_word("torus:x=2,y=3"))
    assert str(error.value) == (
        "torus_x2_y3: --anynet must have at most one link between two routers, not 2 between "
        "0 and 1"
    )


def test_links_one_way_are_told_from_their_sender():
    network = Network.from_word("torus:x=3,y=2,directions=one")
    pairs = [line for line in edges(network).splitlines() if not line.startswith("#")]
    assert sorted(pairs) == sorted(
        f"{node} {int(after)}"
        for node in range(6)
        for after in network.topology.neighbours[node, 1:]
    )
    assert 'edgedefault="directed"' in graphml(network)
    with pytest.raises(ConfigurationError) as refusal:
        anynet(network)
    assert str(refusal.value) == (
        "torus_x3_y2_directionsone: --anynet must have links that lead both ways, not one way only"
    )


def test_latencies_stand_behind_the_ends_of_links():
    network = network_of([(0, 1, 3), (1, 2)], nodes=[1, 0, 1])
    assert anynet(network) == "router 0 node 0 router 1 3\nrouter 1 router 2\nrouter 2 node 1\n"
    lines = [line for line in edges(network).splitlines() if not line.startswith("#")]
    assert lines == ["0 1 3", "1 2", "0 3", "2 4"]
    cycles = re.findall(r'<data key="latency">(\d+)</data>', graphml(network))
    assert sorted(cycles) == ["1", "3"]
    assert "latency" not in graphml(network_of([(0, 1), (1, 2)]))
