"""Networks of any graph: their measures, names and pictures, and built-in networks read back."""

import pickle

import numpy as np
import pytest
import rustworkx
from helpers.long_links import graph_of, long_graphs, network_of
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Graph, GraphFile, Network
from knotwork.cli.answers.describe import describe_network
from knotwork.drawing.graph_files import FORMATS
from knotwork.errors import ConfigurationError
from knotwork.topology import TOPOLOGIES
from knotwork.user_defined.checks import LinkCheck, NameCheck, SizeCheck
from knotwork_sim import simulate

DIRECT = (
    "hypercube:n=3", "moebius:n=4,twist=1", "ccc:n=4", "wk:w=3,levels=2", "tcpg:k=1,m=1",
    "petersen", "rp:k=3", "torus:x=4,y=3", "torus:x=3,y=4,directions=one", "mesh:x=4,y=3",
    "torus:x=2,y=3", "torus:x=3,y=2,z=2", "ring:n=6",
)  # fmt: skip
"""One of each built-in network whose routers have a node each, and links of each kind."""
SWITCHED = (
    "lcan:d=2,u=2,levels=3", "lcan:d=4,u=2,levels=2,interconnect=tree", "fattree:r=4,4,u=2,2",
    "cm5:levels=2", "baseline:levels=2", "sw_banyan:f=2,s=2,levels=2", "trac:levels=2",
)  # fmt: skip
"""One of each whose switches have several nodes or none."""
BETWEEN = {"banyan": "pairs of a PE and a terminal alone count", "kyklos": "a node is on two roots"}
"""Those that a graph of routers is not, and why."""

FIGURES = ("nodes", "routers", "links", "simple_links", "degree", "diameter", "average_distance")


@st.composite
def digraphs(draw, most=12, least_nodes=1):
    """Strongly connected digraphs, routers with up to three nodes: a ring and more links."""
    routers = draw(st.integers(2, most))
    router = st.integers(0, routers - 1)
    more = draw(st.lists(st.tuples(router, router).filter(lambda ends: ends[0] != ends[1])))
    counts = st.lists(st.integers(0, 3), min_size=routers, max_size=routers)
    nodes = draw(counts.filter(lambda each: sum(each) >= least_nodes))
    return [(a, (a + 1) % routers) for a in range(routers)] + more, nodes


@settings(max_examples=60)
@given(digraphs())
def test_a_digraph_is_a_sound_topology(drawn):
    links, nodes = drawn
    topology = Graph(file=GraphFile.of(links, nodes=nodes, directed=True))
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    assert np.bincount(topology.node_ports_table[0], minlength=len(nodes)).tolist() == nodes
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from_no_data(links)
    hops = rustworkx.digraph_distance_matrix(graph)
    at = topology.node_ports_table[0]
    apart = hops[np.ix_(at, at)]
    assert (topology.node_distances() == apart).all()
    assert topology.distance(0, len(at) - 1) == apart[0, -1]
    assert topology.diameter == apart.max()
    if len(at) > 1:
        assert topology.average_distance == pytest.approx(apart.sum() / len(at) / (len(at) - 1))


def delivered(drawn, routing, engine):
    """Packets of 500 that arrive in a digraph, and mismatches between the engines."""
    links, nodes = drawn
    topology = Graph(file=GraphFile.of(links, nodes=nodes, directed=True))
    network = Network(topology, routing=routing, data_width=16, buffer_depth=2)
    assert network.deadlock_report.deadlock_free
    result = simulate(network, engine=engine, packets=500, rate=0.2, length=(1, 3), stall=0.1)
    return result.delivered, result.lost, result.misrouted, result.mismatches


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(digraphs(most=64, least_nodes=2), st.sampled_from(["updown", "shortest", "balanced"]))
def test_digraphs_deliver_on_the_golden_model(drawn, routing):
    assert delivered(drawn, routing, "model")[:3] == (500, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_digraphs_deliver_in_the_verilog(number):
    """One test for each digraph: the largest take minutes to compile."""
    rng = np.random.default_rng(number)
    routers = int(rng.integers(2, 65))
    ring = [(a, (a + 1) % routers) for a in range(routers)]
    more = rng.integers(0, routers, (rng.integers(0, 2 * routers), 2)).tolist()
    nodes = rng.integers(0, 4, routers)
    nodes[0] = 2
    drawn = [*ring, *((a, b) for a, b in more if a != b)], nodes.tolist()
    routing = ("updown", "shortest", "balanced")[number % 3]
    assert delivered(drawn, routing, "both") == (500, 0, 0, 0)


@pytest.mark.parametrize("format", ["graphml", "node_link"])
@pytest.mark.parametrize("word", DIRECT + SWITCHED)
def test_a_built_in_network_is_read_back(tmp_path, word, format):
    known = Network.from_word(word)
    file = tmp_path / {"graphml": "a.graphml", "node_link": "a.json"}[format]
    file.write_text(FORMATS[format](known))
    network = Network.from_texts("graph", {"file": str(file)})
    facts, again = describe_network(known), describe_network(network)
    assert [getattr(again, name) for name in FIGURES] == [getattr(facts, name) for name in FIGURES]
    labels = [known.topology.label(node) for node in range(known.topology.nodes)]
    assert [network.topology.label(node) for node in range(network.topology.nodes)] == labels
    if format == "graphml" and word in ("wk:w=3,levels=2", "lcan:d=2,u=2,levels=3"):
        keys = {"rate": 0.1, "packets": 200, "seed": 5}
        results = [simulate(each, engine="model", **keys) for each in (known, network)]
        sent, arrived = (
            [[row[key] for key in ("source", "destination", "offered")] for row in rows]
            for rows in (result.packets.rows() for result in results)
        )
        assert sorted(sent) == sorted(arrived)
        assert [result.delivered for result in results] == [200, 200]


def test_a_node_on_two_routers_is_refused(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(FORMATS["node_link"](Network.from_word("kyklos:k=2,levels=2")))
    with pytest.raises(ConfigurationError, match="node n0 must be on one router, not on r0 and on"):
        Network.from_texts("graph", {"file": str(file)})


def test_a_graph_is_named_by_its_file_and_travels_without_it(tmp_path):
    (tmp_path / "my net.v2.edges").write_text("0 1\n")
    topology = Graph(file=GraphFile.read(tmp_path / "my net.v2.edges"))
    assert Network(topology).name == "graph_my_net_v2"
    assert Graph(file=GraphFile.of([(0, 1)])).instance_name.startswith("graph_")
    file = tmp_path / "a.edges"
    file.write_text("0 1\n1 2\n2 0\n")
    network = Network.from_texts("graph", {"file": str(file)})
    file.unlink()
    again = pickle.loads(pickle.dumps(network))
    assert again.topology == network.topology
    assert again.parameters == network.parameters
    assert network.parameters["file"] == f"a.edges (sha256 {network.topology.file.digest[:12]})"


def test_nodes_stand_beside_their_routers_one_for_each():
    topology = Graph(file=GraphFile.of([(0, 1), (1, 2)], nodes=[2, 0, 1]))
    assert topology.ports == ("local0", "local1", "link0", "link1")
    assert [topology.label(node) for node in range(3)] == ["0.0", "0.1", "2"]
    apart = np.hypot(*(topology.node_layout()[:, None] - topology.layout()).T)  # router, node
    assert apart.argmin(axis=0).tolist() == [0, 0, 2]
    known = {word.partition(":")[0] for word in DIRECT + SWITCHED}
    assert known | set(BETWEEN) == set(TOPOLOGIES.shipped) - {"graph"}


@settings(max_examples=40)
@given(long_graphs(), st.booleans())
def test_links_have_the_latencies_of_the_file(links, directed):
    topology = graph_of(links, directed=directed)
    LinkCheck(topology).run()
    near, latency = topology.neighbours, topology.link_latency
    router, port = np.nonzero(near >= 0)
    cycles = latency[router, port].tolist()
    told = sorted(zip(router.tolist(), near[router, port].tolist(), cycles, strict=True))
    back = [] if directed else [(b, a, cycles) for a, b, cycles in links]
    assert told == sorted([*links, *back])
    assert graph_of([link[:2] for link in links]).link_latency is None


@settings(max_examples=20, deadline=None)
@given(long_graphs(), st.booleans(), st.sampled_from(["graphml", "node_link"]))
def test_latencies_are_exported_and_read_back(tmp_path_factory, links, directed, format):
    network = network_of(links, directed=directed)
    ending = {"graphml": "a.graphml", "node_link": "a.json"}[format]
    file = tmp_path_factory.getbasetemp() / ending
    file.write_text(FORMATS[format](network))
    again = Graph(file=GraphFile.read(file))

    def ways(topology):
        router, port = np.nonzero(topology.neighbours >= 0)
        at = router, port
        return sorted(zip(router, topology.neighbours[at], topology.link_latency[at], strict=True))

    assert ways(again) == ways(network.topology)
