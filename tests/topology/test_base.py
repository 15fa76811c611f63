"""What networks share: addresses, links, places, distances; ranges of keys; the registry."""

import subprocess
import sys

import numpy as np
import pytest
from helpers.networks import Served
from helpers.ring import Ring as Loop
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Mesh, topology
from knotwork import topology as shipped
from knotwork.topology import TOPOLOGIES, CubeConnectedCycles, Kyklos, Moebius, Topology, metrics
from knotwork.topology.base import LOCAL, RECEIVES, SENDS
from knotwork.topology.hypercube import Hypercube

CODES = {"petersen_code": st.sampled_from(["index", "word"])}
HALVES = st.integers(1, 5).map(lambda half: 2 * half)
SIDES = {"x": st.integers(2, 9), "y": st.integers(2, 9)}
ROUNDS = st.integers(1, 3)
DIRECT = st.one_of(
    st.builds(Hypercube, n=st.integers(1, 7)),
    st.builds(Moebius, n=st.integers(1, 7), twist=st.integers(0, 1)),
    st.builds(CubeConnectedCycles, n=st.integers(2, 8)),
    st.builds(shipped.WkRecursive, w=st.integers(2, 6), levels=st.integers(1, 3)),
    st.builds(shipped.Torus, **SIDES),
    st.builds(shipped.Torus, x=HALVES, y=HALVES, ring_code=st.just("johnson")),
    st.builds(shipped.Mesh, **SIDES, z=ROUNDS),
    st.builds(shipped.Ring, n=st.integers(2, 20)),
    st.builds(shipped.Rp, k=st.integers(1, 9), **CODES),
    st.builds(shipped.Petersen, **CODES),
    st.builds(
        shipped.Tcpg, k=ROUNDS, m=ROUNDS, ring_code=st.sampled_from(["johnson", "binary"]), **CODES
    ),
    st.builds(Loop, nodes=st.integers(5, 20)),
)
"""Networks whose routers have a node each and whose links lead both ways."""
ONE_WAY = st.one_of(
    st.builds(shipped.Torus, **SIDES, directions=st.just("one")),
    st.builds(shipped.Ring, n=st.integers(2, 20), directions=st.just("one")),
    st.just(Served()),
)
LEVELS = st.one_of(
    st.builds(shipped.Lcan, d=st.integers(2, 4), u=st.integers(1, 3), levels=st.integers(1, 3)),
    st.builds(shipped.Banyan, d=st.integers(2, 4), u=st.integers(1, 4), levels=st.integers(1, 3)),
    st.builds(Kyklos, k=st.integers(2, 3), levels=st.integers(1, 3), copies=st.integers(1, 4)),
    st.sampled_from(
        [
            *(shipped.FatTree(r=(3, 2, 4), u=(2, 5, 1)), shipped.Cm5(levels=2)),
            *(shipped.Trac(levels=3), shipped.Baseline(levels=4)),
            shipped.Lcan(d=4, u=2, levels=3, interconnect="tree"),
            shipped.SwBanyan(f=2, s=3, levels=3),
        ]
    ),
)
networks = st.one_of(DIRECT, ONE_WAY, LEVELS)
SOME = settings(max_examples=60)


@SOME
@given(network=networks)
def test_a_link_comes_from_its_sender_and_none_is_at_a_port_of_nodes(network):
    near, peers = network.neighbours, network.peer_ports
    assert near.shape == peers.shape == (network.routers, len(network.ports))
    router, port = np.nonzero(near >= 0)
    far, into = near[router, port], peers[router, port]
    routers, ports = network.senders
    assert (routers[far, into] == router).all()
    assert (ports[far, into] == port).all()
    assert len(set(zip(far.tolist(), into.tolist(), strict=True))) == len(far)
    assert (peers[near < 0] == -1).all()
    assert (near[:, : network.local_ports] == -1).all()
    if not network.is_one_way:
        assert (routers.tolist(), ports.tolist()) == (near.tolist(), peers.tolist())


@SOME
@given(network=st.one_of(DIRECT, LEVELS))
def test_the_two_ends_of_a_link_agree_on_its_kind_and_mark(network):
    for router, port in np.argwhere(network.neighbours[:50] >= 0).tolist():
        far, into = int(network.neighbours[router, port]), int(network.peer_ports[router, port])
        assert network.link_kind(router, port) == network.link_kind(far, into)
        assert network.is_link_marked(router, port) == network.is_link_marked(far, into)


@SOME
@given(network=networks)
def test_addresses_labels_and_places_are_those_of_one_node(network):
    known = {network.address(node): node for node in range(network.nodes)}
    assert len(known) == network.nodes
    codes = 1 << network.address_width
    assert max(known) < codes
    for address in (*range(min(codes, 1 << 12)), *known, *(code + codes for code in known), -1):
        assert network.node_at(address) == known.get(address)
    if codes <= 1 << 12:
        assert sorted({*known, *network.unused_addresses}) == list(range(codes))
    assert len({network.label(node) for node in range(network.nodes)}) == network.nodes
    names = {network.router_identifier(router) for router in range(network.routers)}
    assert len(names) == network.routers
    assert all(name.replace("_", "").isalnum() for name in names)
    places = network.layout()
    assert places.shape == (network.routers, 2)
    apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    products = ("torus", "mesh", "rp", "petersen", "tcpg")
    assert apart.min(initial=np.inf) > (0.39 if network.name in products else 0.1)


@SOME
@given(network=st.one_of(DIRECT, ONE_WAY.filter(lambda network: network.name != "served")))
def test_distances_are_those_of_a_search(network):
    hops, nodes = metrics.distances(network.neighbours), network.nodes
    assert network.diameter == hops.max()
    assert network.average_distance == pytest.approx(hops.sum() / (nodes * (nodes - 1)))
    assert network.distance_counts.tolist() == np.bincount(hops.ravel()).tolist()
    for a, b in np.random.default_rng(1).integers(0, nodes, (20, 2)).tolist():
        assert network.distance(a, b) == hops[a, b]


def test_addresses_without_a_node_and_facts_that_are_unknown(monkeypatch):
    ring = Loop(nodes=6)
    assert ring.address_width == 3
    assert [ring.node_at(address) for address in (5, 6, 7)] == [5, None, None]
    assert ring.unused_addresses == [6, 7]
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 5)
    assert Loop(nodes=6).diameter is None
    assert Loop(nodes=6).average_distance is None
    assert Loop(nodes=5).diameter == 2
    assert Moebius(n=3).diameter == 2
    assert Moebius(n=3).average_distance is None


def test_graphs_are_known_to_be_of_their_class_and_serve_nodes_at_ports():
    graph = Hypercube(n=3)
    assert Hypercube.of(graph) is graph
    assert Topology.of(graph) is graph
    with pytest.raises(TypeError, match="Mesh"):
        Mesh.of(graph)
    graph = Served()
    assert graph.local_nodes.tolist() == [[0, 1], [-1, -1], [2, -1]]
    assert [part.tolist() for part in graph.node_ports_table] == [[0, 0, 2], [0, 1, 0]]
    ports = [graph.connected_ports(router) for router in range(3)]
    assert ports == [(0, 1, 2, 3), (2, 3), (0, 2, 3)]
    both = SENDS + RECEIVES
    assert graph.port_uses.tolist() == [
        [both, both, SENDS, RECEIVES],
        [0, 0, SENDS, both],
        [both, 0, RECEIVES, both],
    ]
    graph = Mesh(x=3, y=2)
    assert graph.local_nodes.tolist() == [[node] for node in range(6)]
    assert (graph.port_uses[:, LOCAL] == SENDS + RECEIVES).all()
    assert [graph.connected_ports(router)[0] for router in range(6)] == [LOCAL] * 6


RANGES = {
    "hypercube n=3": {"n": (1, 20)},
    "moebius n=4 twist=0": {"n": (1, 20), "twist": (0, 1)},
    "ccc n=4": {"n": (2, 20)},
    "wk w=3 levels=2": {"w": (2, 16), "levels": (1, 16)},
    "tcpg k=1 m=1": {"k": (1, 16), "m": (1, 16)},
    "rp k=2": {"k": (1, 4096)},
    "ring n=5": {"n": (2, 4096)},
    "mesh x=4 y=4 z=1": {"x": (1, 1024), "y": (1, 1024), "z": (1, 1024)},
    "torus x=4 y=4 z=1": {"x": (1, 1024), "y": (1, 1024), "z": (1, 1024)},
    "lcan d=2 u=2 levels=2": {"d": (1, 16), "u": (1, 16), "levels": (1, 16)},
    "cm5 levels=2": {"levels": (2, 8)},
    "baseline levels=2": {"levels": (1, 16)},
    "sw_banyan f=2 s=2 levels=2": {"f": (2, 16), "s": (1, 16), "levels": (1, 16)},
    "trac levels=2": {"levels": (1, 12)},
    "banyan d=2 u=2 levels=2": {"d": (1, 16), "u": (1, 16), "levels": (1, 16)},
    "kyklos k=2 levels=2 copies=2": {"k": (2, 16), "levels": (1, 16), "copies": (1, 8)},
}


@pytest.mark.parametrize("words", RANGES)
def test_an_integer_just_outside_its_range_is_refused(refusal, words):
    network, *keys = words.split()
    for key, (low, high) in RANGES[words].items():
        others = " ".join(word for word in keys if not word.startswith(f"{key}="))
        for value in (low - 1, high + 1):
            assert refusal(f"describe {network} {key}={value} {others}") == (
                f"{network}: {key} must be an integer in {low}..{high}, not {value}"
            )


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "wk w=4 levels=11": "w^levels must be at most 1048576 nodes, not 4^11 = 4194304",
        "torus x=1 y=1 z=1": "x, y and z must make 2..1048576 nodes, not 1",
        "torus x=1024 y=1024 z=2": "x, y and z must make 2..1048576 nodes, not 2097152",
        "torus x=6 y=5 ring_code=johnson": "y must be even with ring_code=johnson, because more "
        "than one bit changes from the last code of an odd ring to its first, not 5",
        "petersen petersen_code=gray": "petersen_code must be one of index, word, not 'gray'",
        "tcpg k=2": "m must be given: an integer in 1..16",
        "kyklos k=4 levels=10 copies=8": "switches must be 1..1048576, not 2796200",
        "banyan d=1 u=2 levels=2": "PEs must be 2..1048576, not 1",
        "banyan d=2 u=16 levels=6": "terminals must be at most 1048576, not 16777216",
        "cm5 levels=3 u=2,2": "u must have 3 entries, one per level, not 2",
        "cm5 levels=x": "levels must be an integer in 2..8, not 'x'",
        "cm5 levels=2 u=2,17": "u must be integers in 1..16 separated by commas, not (2, 17)",
        "fattree r=4,4 u=2": "r and u must have one entry per level each, not 2 and 1",
        "fattree r=4 u=2,2": "r and u must have one entry per level each, not 1 and 2",
        "fattree r=4,1 u=2,2": "r must be integers in 2..16 separated by commas, not (4, 1)",
        "fattree r=4,4 u=2,0": "u must be integers in 1..64 separated by commas, not (2, 0)",
        "fattree r=4,4 u=2,": "u must be integers in 1..64 separated by commas, not '2,'",
        "fattree r=2,16 u=8,1": "a switch must have at most 128 downers and uppers, not 128 + 1 "
        "on level 1",
        "fattree u=2,2": "r must be given: integers in 2..16 separated by commas",
        "lcan d=4 u=3 levels=2 interconnect=tree": "u must be a divisor of d where "
        "interconnect=tree, or downers stay unconnected, not 3 with d=4",
        "lcan d=2 u=4 levels=2 interconnect=tree": "u must be at most d where interconnect=tree, "
        "or level 1 has a fraction of a switch, not 4 with d=2",
        "lcan d=4 u=4 levels=2 interconnect=tree": "u must be less than d where interconnect=tree, "
        "or no level above 0 joins two subtrees, not 4 with d=4",
        "lcan d=1 u=2 levels=3": "PEs must be 2..1048576, not 1",
        "lcan d=16 u=2 levels=6": "PEs must be 2..1048576, not 16777216",
        "lcan d=2 u=16 levels=8": "switches must be 1..1048576, not 306783360",
        "lcan d=2 u=2": "levels must be given: an integer in 1..16",
        "lcan d=2 u=2 levels=2 interconnect=ring": "interconnect must be one of complete, tree, "
        "not 'ring'",
    }.items(),
)
def test_what_makes_no_network_is_refused(refusal, words, line):
    assert refusal(f"describe {words}") == f"{words.split()[0]}: {line}"


def test_the_registry_is_a_mapping_of_names_to_classes_that_are_public():
    assert len(TOPOLOGIES) == len(list(TOPOLOGIES)) == len(set(TOPOLOGIES.values()))
    assert TOPOLOGIES["moebius"] is Moebius
    assert "moebius" in TOPOLOGIES
    assert "Moebius" not in TOPOLOGIES
    assert all(issubclass(found, Topology) for found in TOPOLOGIES.values())
    with pytest.raises(KeyError):
        TOPOLOGIES["nothing"]
    assert all(getattr(topology, name) is not None for name in topology.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = topology.nothing  # pyright: ignore[reportAttributeAccessIssue]
    assert all(topology.name == name for name, topology in TOPOLOGIES.items())
    assert Moebius(n=4, twist=1).instance_name == "moebius_n4_twist1"


def loaded_by(statement):
    """Networks' modules that a statement imports, and whether NumPy is among its imports."""
    told = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    return {name for name in TOPOLOGIES if f"knotwork.topology.{name}" in modules}, (
        "numpy" in modules
    )


def test_a_network_is_imported_when_it_is_first_used():
    assert loaded_by("from knotwork.topology import TOPOLOGIES; list(TOPOLOGIES)") == (set(), False)
    networks, numpy = loaded_by("from knotwork.topology import TOPOLOGIES; TOPOLOGIES['rp']")
    assert (networks, numpy) == ({"rp", "petersen"}, True)
