"""Made routings: every packet arrives, and the deadlock check confirms what ranks promise."""

from itertools import product

import numpy as np
import pytest
import rustworkx as rx
from helpers.digraphs import digraphs, linked, one_way, random_regular
from helpers.networks import Served
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Graph, GraphFile, Hypercube, Mesh, Network, Rp, Torus
from knotwork.portable import packed, unpacked
from knotwork.routing import all_routings_of
from knotwork.routing.generated import GENERAL
from knotwork.routing.generated.routings import router_distances
from knotwork_sim import simulate


def hops(topology):
    """Distances by another program."""
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(topology.routers))
    near = topology.neighbours
    graph.add_edges_from_no_data([(a, int(near[a, p])) for a, p in np.argwhere(near >= 0).tolist()])
    return rx.distance_matrix(graph)


@settings(max_examples=40)
@given(topology=digraphs(), name=st.sampled_from(["updown", "shortest"]))
def test_any_digraph_is_routed_without_deadlock(topology, name):
    check_routes(topology, name)


@settings(max_examples=8)
@given(topology=digraphs(most=16))
def test_any_digraph_is_balanced_without_deadlock(topology):
    check_routes(topology, "balanced")


@pytest.mark.parametrize("name", [routing.name for routing in GENERAL])
@pytest.mark.parametrize("nodes", [[0, 2], [0, 1], [3, 0, 0]])
def test_no_link_is_needed_where_all_nodes_are_on_one_router(nodes, name):
    ring = [(a, (a + 1) % len(nodes)) for a in range(len(nodes))]
    network = Network(Graph(file=GraphFile.of(ring, nodes=nodes, directed=True)), routing=name)
    assert network.deadlock_report.deadlock_free
    assert not network.routing.walk_lengths().any()


@pytest.mark.slow
@settings(max_examples=150)
@given(topology=digraphs(), name=st.sampled_from(["updown", "shortest", "balanced"]))
def test_many_digraphs_are_routed_without_deadlock(topology, name):
    check_routes(topology, name)


def check_routes(topology, name):
    network = Network(topology, routing=name)
    assert network.deadlock_report.deadlock_free
    lengths, distances = network.routing.walk_lengths(), hops(topology)
    assert (lengths >= distances).all()
    assert (lengths == network.routing.generated.lengths).all()
    if name == "shortest":
        assert (lengths == distances).all()
    if name == "updown":
        assert network.virtual_channels <= (2 if topology.is_one_way else 1)


@settings(max_examples=4)
@given(topology=digraphs(most=16), name=st.sampled_from(["updown", "shortest", "balanced"]))
def test_packets_arrive_in_the_golden_model(topology, name):
    network = Network(topology, routing=name, data_width=16)
    result = simulate(network, engine="model", packets=500, rate=0.2, stall=0.2, length=(1, 4))
    assert (result.delivered, result.lost, result.misrouted) == (500, 0, 0)


def test_a_ring_one_way_needs_two_channels_and_one_of_two_rings_needs_one():
    """Of two opposite rings, a way to the root and one from it share no channel."""
    links = [(i, (i + 1) % 5) for i in range(5)]
    ring, both = one_way(5, links), one_way(5, [*links, *((b, a) for a, b in links)])
    for topology, classes in ((ring, 2), (both, 1)):
        network = Network(topology, routing="updown")
        assert network.virtual_channels == classes
        assert network.deadlock_report.deadlock_free
    assert not Network(ring, routing="updown", virtual_channels=1).deadlock_report.deadlock_free


def test_a_tree_has_its_only_ways():
    tree = linked(7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])
    network = Network(tree, routing="updown")
    assert network.routing.path(3, 6) == [3, 1, 0, 2, 6]
    assert (network.routing.walk_lengths() == hops(tree)).all()


def test_built_in_networks_have_it_where_the_name_is_free():
    for topology in (Mesh(x=4, y=3), Torus(x=5, y=4), Hypercube(n=3), Rp(k=1)):
        network = Network(topology, routing="updown")
        assert network.virtual_channels == 1
        assert network.deadlock_report.deadlock_free
    assert "updown" in all_routings_of("hypercube")
    assert all_routings_of("lcan")["updown"].__module__ == "knotwork.routing.lcan"


@pytest.mark.parametrize("name", ["updown", "shortest", "balanced"])
def test_a_table_is_made_once_and_the_same_every_time(name):
    network, again = (Network(Torus(x=4, y=4), routing=name) for _ in range(2))
    assert (network.routing.table.entries == again.routing.table.entries).all()
    assert network.changed(data_width=8).routing.generated is network.routing.generated
    assert unpacked(packed(network)).routing.path(0, 15) == network.routing.path(0, 15)


def test_what_cannot_be_made_is_refused(refused, tmp_path):
    for topology, name, most in (
        (Mesh(x=65, y=64), "updown", 4096),
        (Mesh(x=33, y=32), "balanced", 1024),
    ):
        assert refused(lambda known=topology, name=name: Network(known, routing=name)) == (
            f"mesh: routing={name} must have a network of at most {most} routers, not "
            f"{topology.nodes}"
        )
    one_end = one_way(3, [(0, 1), (1, 0), (1, 2)])
    assert refused(lambda: router_distances(one_end, "digraph")) == (
        "digraph must have a path from every router to every other, not none from 2 to 0"
    )
    (tmp_path / "rates.csv").write_text("0 1\n1 0\n")
    word = f"mesh:x=2,y=2,routing=balanced,routing_matrix={tmp_path}/rates.csv"
    assert (
        refused(lambda: Network.from_word(word)) == "mesh: routing_matrix must have 4 rows, not 2"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["updown", "shortest", "balanced"])
def test_packets_arrive_in_the_verilog(name):
    network = Network(random_regular(10, 3, 4), routing=name, data_width=16, buffer_depth=2)
    result = simulate(network, packets=500, rate=0.3, stall=0.2, length=(1, 2))
    assert (result.delivered, result.lost, result.mismatches) == (500, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("topology", [Mesh(x=64, y=64), Hypercube(n=12)])
def test_4096_routers_are_routed_and_checked(topology):
    network = Network(topology, routing="updown")
    assert network.deadlock_report.deadlock_free


def test_shortest_needs_the_channels_that_a_ring_needs():
    """On a ring of five, minimal paths alone need two channels; on a mesh one is enough."""
    ring = linked(5, [(i, (i + 1) % 5) for i in range(5)])
    assert Network(ring, routing="shortest").virtual_channels == 2
    assert Network(Mesh(x=4, y=4), routing="shortest").virtual_channels == 1


def test_balanced_lowers_the_fullest_link_of_its_matrix(tmp_path):
    """All send to 3 of a square: its two links can carry half each, if 1 or 2 goes round."""
    path = tmp_path / "rates.csv"
    path.write_text("0 0 0 2\n0 0 0 1\n0 0 0 1\n0 0 0 0\n")
    square = linked(4, [(0, 1), (1, 3), (3, 2), (2, 0)])
    network = Network(square, routing="balanced", routing_matrix=path)
    assert network.routing.generated.load.max() == pytest.approx(2.0)
    assert network.parameters["routing_matrix"].startswith("rates.csv (sha256 ")
    other = network.changed(routing_seed=2).routing
    assert other.options.routing_seed == 2
    assert other.generated.load.max() == pytest.approx(2.0)


ANYNET = """router 0 node 0 node 1 router 1 router 2
router 1 router 2 router 3
router 2 node 2 router 4
router 3 node 3 router 4 router 5
router 4 router 5
router 5 node 4 node 5 node 6
"""


@pytest.mark.parametrize("kind", GENERAL)
@pytest.mark.parametrize("one_way", [False, True])
def test_routers_may_serve_several_nodes_or_none(kind, one_way, tmp_path):
    """Each packet goes from its node's port to the port of the other node, followed by hand."""
    path = tmp_path / "served.anynet"
    path.write_text(ANYNET)
    topology = Served() if one_way else Graph(file=GraphFile.read(path))
    routing = kind(topology)
    for source, destination in product(range(topology.nodes), repeat=2):
        router, port, vc, hops = topology.router_of(source), topology.node_port(source), 0, 0
        while True:
            output, vc = routing.rule(routing.parameters, router, port, vc, destination)
            if output < topology.local_ports:
                break
            assert hops < 12
            port = topology.peer_ports[router, output]
            router, hops = topology.neighbours[router, output], hops + 1
        assert (router, output) == (
            topology.router_of(destination),
            topology.node_port(destination),
        )
