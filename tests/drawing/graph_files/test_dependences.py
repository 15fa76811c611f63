"""Channel dependence graphs as files, read back by rustworkx."""

from itertools import pairwise

import numpy as np
import pytest
import rustworkx
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Hypercube, Network
from knotwork.drawing.graph_files import dependence_graph, require_enumerable
from knotwork.errors import ConfigurationError

WORDS = (
    *("hypercube:n=3", "moebius:n=4,twist=1,routing=spr", "moebius:n=3,routing=set_spr"),
    *("ccc:n=3", "wk:w=3,levels=2", "tcpg:k=1,m=2", "torus:x=3,y=3,virtual_channels=4"),
    *("torus:x=5,y=4,virtual_channels=1", "rp:k=3", "mesh:x=3,y=2"),
)


@pytest.fixture
def read(tmp_path):
    def reading(network):
        file = tmp_path / "graph.graphml"
        file.write_text(dependence_graph(network))
        (graph,) = rustworkx.read_graphml(str(file))
        return graph

    return reading


@pytest.mark.parametrize("word", WORDS)
def test_the_file_has_every_channel_and_dependence_of_the_report(read, word):
    network = Network.from_word(word)
    graph, report = read(network), network.deadlock_report
    assert graph.num_nodes() == report.channels
    assert graph.num_edges() == report.dependencies
    assert rustworkx.is_directed_acyclic_graph(graph) == report.deadlock_free
    assert graph.attrs["deadlock_free"] == report.deadlock_free
    assert graph.attrs["reason"] == report.reason
    assert graph.attrs["virtual_channels"] == report.virtual_channels


@pytest.mark.parametrize("word", WORDS)
def test_each_edge_has_the_turn_between_its_channels(read, word):
    network = Network.from_word(word)
    topology, graph = network.topology, read(network)
    ports = topology.ports
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


@pytest.mark.parametrize("word", WORDS[:6])
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


def test_the_cycle_of_the_report_is_marked(read):
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    graph = read(network)
    cycle = network.deadlock_report.cycle
    marked = [vertex for vertex in graph.nodes() if vertex["in_cycle"]]
    channels = [(vertex["router"], vertex["to"], vertex["virtual_channel"]) for vertex in marked]
    assert sorted(channels) == sorted(cycle)
    edges = [pair for *pair, turn in graph.weighted_edge_list() if turn["in_cycle"]]
    assert len(edges) == len(cycle)
    assert {graph[a]["to"] for a, _ in edges} == {graph[b]["router"] for _, b in edges}


def test_the_stores_of_multicasts_are_vertices(read):
    graph = read(Network(Hypercube(n=3), multicast="yes"))
    kinds = [vertex["kind"] for vertex in graph.nodes()]
    assert (kinds.count("channel"), kinds.count("store"), kinds.count("injection")) == (72, 16, 16)
    stores = [vertex for vertex in graph.nodes() if vertex["kind"] != "channel"]
    assert {vertex["port"] for vertex in stores} == {"local"}
    assert all("to" not in vertex or vertex["to"] is None for vertex in stores)


def test_the_escape_class_is_named(read):
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


def test_too_many_nodes_are_refused():
    with pytest.raises(ConfigurationError) as refusal:
        require_enumerable(Network(Hypercube(n=13)))
    assert str(refusal.value) == "hypercube_n13: nodes must be at most 4096 for --graphml, not 8192"
    require_enumerable(Network(Hypercube(n=12)))
