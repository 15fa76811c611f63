"""What networks share: addresses, links, labels, places, and distances as a search finds them."""

import numpy as np
import pytest
from helpers.ring import Ring as Loop
from helpers.served import Served
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import topology as shipped
from knotwork.topology import TOPOLOGIES, CubeConnectedCycles, Hypercube, Kyklos, Moebius, metrics

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
        shipped.Tcpg,
        k=ROUNDS,
        m=ROUNDS,
        ring_code=st.sampled_from(["johnson", "binary"]),
        **CODES,
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
def test_addresses_and_labels_are_those_of_one_node(network):
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


@SOME
@given(network=networks)
def test_every_router_is_drawn_in_a_place_of_its_own(network):
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


def test_ring_of_six_has_two_addresses_without_a_node():
    ring = Loop(nodes=6)
    assert ring.address_width == 3
    assert [ring.node_at(address) for address in (5, 6, 7)] == [5, None, None]
    assert ring.unused_addresses == [6, 7]


def test_beyond_the_search_unknown_is_none(monkeypatch):
    monkeypatch.setattr(metrics, "SEARCH_LIMIT", 5)
    assert Loop(nodes=6).diameter is None
    assert Loop(nodes=6).average_distance is None
    assert Loop(nodes=5).diameter == 2
    assert Moebius(n=3).diameter == 2
    assert Moebius(n=3).average_distance is None


def test_each_network_is_called_by_its_name_and_parameters():
    assert all(topology.name == name for name, topology in TOPOLOGIES.items())
    assert Moebius(n=4, twist=1).instance_name == "moebius_n4_twist1"
