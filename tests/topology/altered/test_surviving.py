"""Networks without some of their links and routers."""

import pickle

import numpy as np
import pytest
import rustworkx
from helpers.long_links import graph_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from knotwork import Graph, GraphFile, Mesh, Network, Torus, WkRecursive, without
from knotwork.errors import ConfigurationError
from knotwork.topology import TOPOLOGIES
from knotwork.user_defined.checks import LinkCheck, NameCheck, SizeCheck

RULE = "mesh: dead must be routers, and links as A-B, by number or @label, separated by commas"


@st.composite
def grids(draw):
    """Small grid, dead links and dead routers."""
    kind = draw(st.sampled_from([Mesh, Torus]))
    keys = {"directions": "one"} if kind is Torus and draw(st.booleans()) else {}
    whole = kind(x=draw(st.integers(2, 4)), y=draw(st.integers(1, 4)), **keys)
    ends = {
        tuple(sorted((a, int(b)))) for a, row in enumerate(whole.neighbours) for b in row[row >= 0]
    }
    links = draw(st.lists(st.sampled_from(sorted(ends)), max_size=2, unique=True))
    routers = draw(st.lists(st.integers(0, whole.routers - 1), max_size=2, unique=True))
    assume(links or routers)
    return whole, links, routers


@settings(max_examples=25, deadline=None)
@given(grids())
def test_what_is_left_is_a_sound_network_or_falls_apart(drawn):
    whole, links, routers = drawn
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(whole.routers))
    graph.add_edges_from_no_data(
        [(a, int(b)) for a, row in enumerate(whole.neighbours) for b in row if b >= 0]
    )
    for a, b in links:
        for ends in ((a, b), (b, a)):
            while graph.has_edge(*ends):
                graph.remove_edge(*ends)
    graph.remove_nodes_from(routers)
    dead = ",".join([*(f"{a}-{b}" for a, b in links), *map(str, routers)])
    parts = rustworkx.strongly_connected_components(graph)
    if len(parts) != 1:
        with pytest.raises(ConfigurationError, match=r"^(mesh|torus): dead must leave "):
            without(whole, dead)
        return
    left = without(whole, dead)
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(left).run()
    assert [left.address(node) for node in range(left.nodes)] == [
        whole.address(node) for node in graph.node_indices()
    ]
    numbers = {node: place for place, node in enumerate(graph.node_indices())}
    known = sorted((numbers[a], numbers[b]) for a, b in graph.edge_list())
    router, port = np.nonzero(left.neighbours >= 0)
    assert (
        sorted(zip(router.tolist(), left.neighbours[router, port].tolist(), strict=True)) == known
    )
    if left.nodes > 1:
        assert Network(left).deadlock_report.deadlock_free


def test_links_and_routers_by_number_and_by_label():
    whole = Mesh(x=4, y=3)
    left = without(whole, ["@0.0-@0.1", 5])
    assert left == without(whole, "@0.0-@0.1,5")
    assert (left.nodes, left.routers) == (11, 11)
    assert [left.label(node) for node in range(11)] == [whole.label(n) for n in range(12) if n != 5]
    assert left.address(5) == whole.address(6)
    assert left.node_at(whole.address(5)) is None
    assert left.neighbours[0].tolist() == [-1, -1, -1, -1, 4]
    assert left.instance_name == "mesh_x4_y3_dead_0to1_5"
    assert left.as_dict() == {"x": 4, "y": 3, "dead": "@0.0-@0.1,5"}
    assert repr(left) == "without(Mesh(x=4, y=3, z=1), '@0.0-@0.1,5')"
    assert (left.layout() == whole.layout()[[n for n in range(12) if n != 5]]).all()


DIRECT = [name for name in TOPOLOGIES.shipped if TOPOLOGIES[name].is_direct and name != "graph"]


@pytest.mark.parametrize("name", DIRECT)
def test_every_direct_network_loses_a_router(name):
    small = {"x": 3, "y": 3, "w": 3, "levels": 2, "k": 2, "m": 1, "n": 4}
    known = {key: small[key] for key in set(TOPOLOGIES[name].keys()) & small.keys()}
    network = Network.from_texts(name, {**known, "dead": "1"})
    assert network.topology.nodes == TOPOLOGIES[name](**known).nodes - 1
    assert network.deadlock_report.deadlock_free


def test_routings_are_generated_and_networks_of_switches_have_no_key():
    network = Network.from_word("wk:w=3,levels=2,dead=0-1")
    assert network.routing.name == "updown"
    assert network.name == "wk_w3_levels2_dead_0to1"
    assert repr(network) == f"Network({without(WkRecursive(w=3, levels=2), '0-1')!r})"
    again = pickle.loads(pickle.dumps(network))
    assert (again.topology.neighbours == network.topology.neighbours).all()
    with pytest.raises(
        ConfigurationError, match=r"wk: routing must be one of updown,.* not 'unicast'"
    ):
        Network.from_word("wk:w=3,levels=2,dead=0-1,routing=unicast")
    for name in TOPOLOGIES.shipped:
        if TOPOLOGIES[name].is_direct:
            continue
        with pytest.raises(ConfigurationError, match=r"a key must be one of .*, not 'dead'"):
            Network.from_texts(name, {"dead": "1"})
    with pytest.raises(ConfigurationError, match="not 'dead'; dead goes with routing=ecube or "):
        Network.from_word("hypercube:n=3,routing=lc1,dead=1")


def test_links_and_nodes_that_are_left_are_as_before():
    left = without(Graph(file=GraphFile.of([(0, 1), (1, 2), (2, 0)], nodes=[2, 1, 1])), "1")
    assert [left.label(node) for node in range(left.nodes)] == ["0.0", "0.1", "2"]
    assert left.local_nodes.tolist() == [[0, 1], [2, -1]]
    with pytest.raises(ConfigurationError) as refusal:
        without(Graph(file=GraphFile.of([(0, 1)], nodes=[1, 0])), "0")
    assert str(refusal.value) == "graph: dead must leave a node, not none"
    whole = graph_of([(0, 1, 3), (1, 2), (2, 3, 5), (3, 0), (0, 2)])
    left = without(whole, "1")
    LinkCheck(left).run()
    latency = {
        (int(left.router_numbers[a]), int(left.router_numbers[b])): int(left.link_latency[a, port])
        for a, row in enumerate(left.neighbours)
        for port, b in enumerate(row)
        if b >= 0
    }
    assert latency == {(0, 2): 1, (2, 0): 1, (0, 3): 1, (3, 0): 1, (2, 3): 5, (3, 2): 5}
    assert without(whole, "0-1,2-3").link_latency is None
    assert without(Mesh(x=3, y=2), "0-1").link_latency is None


@pytest.mark.parametrize(
    ("message", "dead"),
    {
        "mesh: dead must name routers with a link between them, not 0-5": "0-5",
        "mesh: dead must name 1-0 once, not twice": "0-1,1-0",
        "mesh: dead must name 3 once, not twice": "3, 3",
        f"{RULE}, of routers 0..15 (@0.0..@3.3), not '99'": "99",
        f"{RULE}, of routers 0..15 (@0.0..@3.3), not '@9.9'": "@9.9",
        f"{RULE}, of routers 0..15 (@0.0..@3.3), not '0-1-2'": "0-1-2",
        f"{RULE}, not ''": "",
        "mesh: dead must leave every router reachable from every other, not router 2 (@0.2) "
        "without a path from router 0 (@0.0)": "1,4",
        "mesh: dead must leave a node, not none": ",".join(map(str, range(16))),
    }.items(),
)
def test_what_cannot_be_dead(dead, message):
    with pytest.raises(ConfigurationError) as refusal:
        without(Mesh(x=4, y=4), dead)
    assert str(refusal.value) == message
