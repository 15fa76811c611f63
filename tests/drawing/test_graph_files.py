"""Graph files, read back by rustworkx and by other means."""

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import rustworkx
from helpers.long_links import network_of
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Hypercube, Network
from knotwork.drawing.graph_files import (
    NAMESPACE,
    Document,
    Keys,
    anynet,
    dependence_graph,
    edges,
    graphml,
    node_link,
    require_enumerable,
)
from knotwork.errors import ConfigurationError, ToolError

DEPENDENCES = (
    *("hypercube:n=3", "moebius:n=4,twist=1,routing=spr", "moebius:n=3,routing=set_spr"),
    *("ccc:n=3", "wk:w=3,levels=2", "tcpg:k=1,m=1", "torus:x=3,y=3,virtual_channels=4"),
    "torus:x=5,y=4,virtual_channels=1",
)


@pytest.fixture
def read(tmp_path):
    def reading(network):
        file = tmp_path / "graph.graphml"
        file.write_text(dependence_graph(network))
        (graph,) = rustworkx.read_graphml(str(file))
        return graph

    return reading


@pytest.mark.parametrize("word", DEPENDENCES)
def test_the_file_has_every_channel_and_dependence_of_the_report_with_its_turn(read, word):
    network = Network.from_word(word)
    graph, report = read(network), network.deadlock_report
    assert graph.num_nodes() == report.channels
    assert graph.num_edges() == report.dependencies
    assert rustworkx.is_directed_acyclic_graph(graph) == report.deadlock_free
    assert graph.attrs["deadlock_free"] == report.deadlock_free
    assert graph.attrs["reason"] == report.reason
    assert graph.attrs["virtual_channels"] == report.virtual_channels
    topology, ports = network.topology, network.topology.ports
    for held, wanted, turn in graph.weighted_edge_list():
        before, after = graph[held], graph[wanted]
        port = ports.index(before["port"])
        assert topology.neighbours[before["router"], port] == before["to"] == after["router"]
        assert turn["router"] == after["router"]
        assert turn["input_port"] == ports[topology.peer_ports[before["router"], port]]
        assert turn["output_port"] == after["port"]
        assert turn["input_virtual_channel"] == before["virtual_channel"]
        assert turn["output_virtual_channel"] == after["virtual_channel"]
    for vertex in graph.nodes():
        assert vertex["label"] == topology.router_label(vertex["router"])
        assert vertex["class"] == vertex["virtual_channel"] % network.routing.classes
        assert vertex["kind"] == "channel"


@pytest.mark.parametrize("word", DEPENDENCES[:6])
def test_every_wait_of_every_packet_is_an_edge_and_every_edge_is_one(read, word):
    """Without an escape or a broadcast the graph is just what packets do, hop after hop."""
    network = Network.from_word(word)
    if network.routing.broadcast is not None:
        network = Network(network.topology, broadcast="no")
    graph, nodes = read(network), network.topology.nodes
    waits = set()
    for source, destination in np.ndindex(nodes, nodes):
        hops = network.routing.hops(source, destination)[:-1]
        classes = network.routing.classes
        channels = [(hop.router, hop.port, hop.virtual_channel % classes) for hop in hops]
        waits |= set(pairwise(channels))
    ports = network.topology.ports

    def channel(vertex):
        return vertex["router"], ports.index(vertex["port"]), vertex["class"]

    edges = {(channel(graph[a]), channel(graph[b])) for a, b in graph.edge_list()}
    assert edges == waits


def test_the_cycle_is_marked_and_too_many_nodes_are_refused(read):
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    graph = read(network)
    cycle = network.deadlock_report.cycle
    marked = [vertex for vertex in graph.nodes() if vertex["in_cycle"]]
    channels = [(vertex["router"], vertex["to"], vertex["virtual_channel"]) for vertex in marked]
    assert sorted(channels) == sorted(cycle)
    edges = [pair for *pair, turn in graph.weighted_edge_list() if turn["in_cycle"]]
    assert len(edges) == len(cycle)
    assert {graph[a]["to"] for a, _ in edges} == {graph[b]["router"] for _, b in edges}
    with pytest.raises(ConfigurationError) as refusal:
        require_enumerable(Network(Hypercube(n=13)))
    assert str(refusal.value) == "hypercube_n13: nodes must be at most 4096 for --graphml, not 8192"
    require_enumerable(Network(Hypercube(n=12)))


def test_stores_of_multicasts_and_the_escape_class_are_named(read):
    graph = read(Network(Hypercube(n=3), multicast="yes"))
    kinds = [vertex["kind"] for vertex in graph.nodes()]
    assert (kinds.count("channel"), kinds.count("store"), kinds.count("injection")) == (72, 16, 16)
    stores = [vertex for vertex in graph.nodes() if vertex["kind"] != "channel"]
    assert {vertex["port"] for vertex in stores} == {"local"}
    assert all("to" not in vertex or vertex["to"] is None for vertex in stores)
    graph = read(Network.from_word("moebius:n=3,routing=spr,vc_scheme=escape"))
    assert graph.attrs["escape_class"] == 1
    assert graph.attrs["deadlock_free"] is True
    assert not rustworkx.is_directed_acyclic_graph(graph)
    assert not any(vertex["in_cycle"] for vertex in graph.nodes())


@pytest.mark.parametrize(
    "word", ["lcan:d=2,u=2,levels=3", "ccc:n=3,routing=lc2", "torus:x=3,y=3,router=deflection"]
)
def test_where_no_packet_waits_the_graph_is_empty(read, word):
    network = Network.from_word(word)
    graph = read(network)
    assert (graph.num_nodes(), graph.num_edges()) == (0, 0)
    assert graph.attrs["reason"] == network.deadlock_report.reason


KEYS = Keys(
    of_vertex={"label": "string", "on": "boolean"},
    of_edge={"label": "string", "weight": "int"},
    of_graph={"label": "string"},
)


def made(**more):
    document = Document("g", KEYS, directed=True, facts={"label": 'a <b> & "c"', **more})
    document.add_vertex("u", {"label": "<&>", "on": True})
    document.add_vertex('v"', {"label": None, "on": False})
    document.add_edge("u", 'v"', {"label": "x", "weight": 3})
    document.add_edge('v"', "u", {})
    return document.text()


def test_what_is_written_is_read_back(tmp_path):
    file = tmp_path / "g.graphml"
    file.write_text(made())
    (graph,) = rustworkx.read_graphml(str(file))
    assert isinstance(graph, rustworkx.PyDiGraph)
    assert graph.attrs["label"] == 'a <b> & "c"'
    assert [(vertex["id"], vertex.get("label"), vertex["on"]) for vertex in graph.nodes()] == [
        ("u", "<&>", True),
        ('v"', None, False),
    ]
    assert graph.edge_list() == [(0, 1), (1, 0)]
    assert (graph.edges()[0]["label"], graph.edges()[0]["weight"]) == ("x", 3)


def test_graphml_names_its_keys_and_its_way():
    root = ET.fromstring(made().encode())
    keys = [key.attrib for key in root.iter(f"{{{NAMESPACE}}}key")]
    assert len({key["id"] for key in keys}) == len(keys) == 5
    assert [(key["for"], key["attr.name"]) for key in keys if key["attr.name"] == "label"] == [
        ("node", "label"),
        ("edge", "label"),
        ("graph", "label"),
    ]
    used = {data.get("key") for data in root.iter(f"{{{NAMESPACE}}}data")}
    assert used == {key["id"] for key in keys}
    text = Document("g", KEYS, directed=False).text()
    assert 'edgedefault="undirected"' in text
    assert ET.fromstring(text.encode()).find(f"{{{NAMESPACE}}}graph") is not None


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


def test_edges_and_anynet_of_small_networks_by_hand():
    assert anynet(Network.from_word("hypercube:n=2")) == (
        "router 0 node 0 router 1 router 2\n"
        "router 1 node 1 router 3\n"
        "router 2 node 2 router 3\n"
        "router 3 node 3\n"
    )
    assert edges(Network.from_word("lcan:d=2,u=2,levels=2")).splitlines()[:3] == [
        "# lcan_d2_u2_levels2_interconnectcomplete",
        "# 4 routers: 0..3",
        "# 4 nodes: 4..7",
    ]


@pytest.mark.parametrize("word", ["hypercube:n=3", "wk:w=3,levels=2", "lcan:d=2,u=2,levels=3"])
def test_booksim_finds_every_node_and_link(word):
    network = Network.from_word(word)
    topology = network.topology
    node_list, pairs = read_anynet(anynet(network))
    assert node_list == {node: topology.router_of(node) for node in range(topology.nodes)}
    expected = {ends for ends in links(network) if ends[1] < topology.routers}
    assert pairs == expected | {(b, a) for a, b in expected}


@pytest.mark.parametrize("word", WORDS)
def test_edges_and_graphml_have_all_vertices_and_links(word):
    network = Network.from_word(word)
    lines = [line for line in edges(network).splitlines() if not line.startswith("#")]
    pairs = Counter(tuple(map(int, line.split())) for line in lines)
    assert pairs == links(network)
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


@pytest.mark.parametrize("word", ["lcan:d=2,u=2,levels=3", "ccc:n=3", "graph:file=hub.edges"])
def test_distances_of_nodes_are_those_of_the_file_but_for_the_links_to_nodes(word, tmp_path):
    """The mean distance is in hops between routers, over ordered pairs of distinct nodes."""
    (tmp_path / "hub.edges").write_text("0 1\n1 2\n2 3\n")
    network = Network.from_word(word.replace("hub", f"{tmp_path}/hub"))
    document = tmp_path / "network.graphml"
    document.write_text(graphml(network))
    (graph,) = rustworkx.read_graphml(str(document))
    found = rustworkx.distance_matrix(graph)
    nodes = [n for n, vertex in enumerate(graph.nodes()) if vertex["kind"] == "node"]
    beyond = 2 if nodes else 0  # the links to the two nodes
    among = nodes or graph.node_indices()
    hops = [found[a, b] - beyond for a in among for b in among if a != b]
    assert network.topology.average_distance == pytest.approx(np.mean(hops))


def test_graphml_has_ports_and_booksim_no_double_links():
    root = ET.fromstring(graphml(Network.from_word("moebius:n=2,twist=0")))
    edge = next(root.iter(f"{SPACE}edge"))
    data = {entry.get("key"): entry.text for entry in edge.iter(f"{SPACE}data")}
    assert data.keys() == {"source_port", "target_port", "special"}
    assert data["source_port"] == data["target_port"]
    with pytest.raises(ConfigurationError) as error:
        anynet(Network.from_word("torus:x=2,y=3"))
    assert str(error.value) == (
        "torus_x2_y3: --anynet must have at most one link between two routers, not 2 between "
        "0 and 1"
    )


def test_one_way_links_and_latencies_are_written():
    network = Network.from_word("torus:x=3,y=2,directions=one")
    pairs = [line for line in edges(network).splitlines() if not line.startswith("#")]
    assert (
        sorted(pairs)
        == sorted(  # as `.edges` writes what leads one way
            f"{node} -> {int(after)}"
            for node in range(6)
            for after in network.topology.neighbours[node, 1:]
        )
    )
    assert 'edgedefault="directed"' in graphml(network)
    with pytest.raises(ConfigurationError) as refusal:
        anynet(network)
    assert str(refusal.value) == (
        "torus_x3_y2_directionsone: --anynet must have links that lead both ways, not one way only"
    )
    network = network_of([(0, 1, 3), (1, 2)], nodes=[1, 0, 1])
    # BookSim's README: a latency is that of the channel which leaves the router of the line.
    assert anynet(network) == (
        "router 0 node 0 router 1 3\nrouter 1 router 0 3 router 2\nrouter 2 node 1\n"
    )
    lines = [line for line in edges(network).splitlines() if not line.startswith("#")]
    assert lines == ["0 1 3", "1 2", "0 3", "2 4"]
    cycles = re.findall(r'<data key="latency">(\d+)</data>', graphml(network))
    assert sorted(cycles) == ["1", "3"]
    assert "latency" not in graphml(network_of([(0, 1), (1, 2)]))


OF_NETWORKX = ["lcan:d=2,u=2,levels=2", "torus:x=3,y=2,directions=one", "moebius:n=3"]


@pytest.mark.parametrize("word", OF_NETWORKX)
def test_node_link_form_has_the_keys_that_networkx_reads(word):
    """`node_link_graph` of NetworkX 3.6: `edges`, of `source`, `target` and `key`."""
    topology = (network := Network.from_word(word)).topology
    told = json.loads(node_link(network))
    assert told.keys() == {"directed", "multigraph", "graph", "nodes", "edges"}
    assert (told["directed"], told["multigraph"]) == (topology.is_one_way, True)
    ids = [node["id"] for node in told["nodes"]]
    assert len(set(ids)) == len(ids)
    assert {edge[end] for edge in told["edges"] for end in ("source", "target")} <= {*ids}
    ways = (topology.neighbours >= 0).sum() // (1 if topology.is_one_way else 2)
    assert len({edge["key"] for edge in told["edges"]}) == ways + (topology.attached >= 0).sum()


@pytest.mark.parametrize("word", OF_NETWORKX)
def test_networkx_has_the_same_graph_from_python_and_from_the_file(word):
    networkx = pytest.importorskip("networkx")
    network = Network.from_word(word)
    from_file = networkx.node_link_graph(json.loads(node_link(network)), edges="edges")
    for graph in (network.to_networkx(), network.topology.to_networkx()):
        assert type(graph) is type(from_file)
        assert networkx.utils.graphs_equal(graph, from_file)
    assert network.to_networkx().name == network.name


def test_a_graph_of_networkx_needs_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    line = "networkx: must be installed, with the extra 'networkx': run `make setup`, or "
    with pytest.raises(ToolError, match=f"^{line}"):
        Hypercube(n=2).to_networkx()
