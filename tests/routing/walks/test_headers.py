from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Mesh, Moebius, Network, Torus
from knotwork.routing.walks.headers import LIMIT, KnownBits, KnownHeader
from knotwork.topology import LOCAL

NETWORKS = {
    "hypercube": "hypercube:n=3",
    "mesh": "mesh:x=4,y=2",
    "uneven mesh": "mesh:x=3,y=3",
    "torus": "torus:x=4,y=3",
    "moebius": "moebius:n=4,twist=1",
    "spr": "moebius:n=4,routing=spr",
    "ccc": "ccc:n=3",
    "petersen": "petersen",
    "rp": "rp:k=3",
}


def seen_at(network):
    """By (kind, port, leaving), every (own, destination's, source's) address that passes there."""
    topology, seen = network.topology, {}
    for source, destination in product(range(topology.nodes), repeat=2):
        port = LOCAL
        for hop in network.routing.hops(source, destination):
            kind = network.router_number[hop.router]
            codes = [topology.address(node) for node in (hop.router, destination, source)]
            seen.setdefault((kind, port, False), set()).add(tuple(codes))
            seen.setdefault((kind, hop.port, True), set()).add(tuple(codes))
            port = topology.peer_ports[hop.router, hop.port] if hop.port != LOCAL else None
    return seen


@pytest.mark.parametrize("name", NETWORKS)
def test_it_is_exactly_what_all_packets_have_in_common(name):
    network = Network.from_word(NETWORKS[name])
    seen = seen_at(network)
    everything = (1 << network.topology.address_width) - 1
    for (number, port, leaving), codes in seen.items():
        known = network.known_header(network.router_kinds[number], port, leaving=leaving)
        if leaving and port == LOCAL:  # by it no packet goes to another router
            assert known == KnownHeader()
            continue
        for place in range(2):
            differing = [code[0] ^ code[1 + place] for code in codes]
            same = everything & ~np.bitwise_or.reduce(differing)
            assert known[place] == (same, np.bitwise_and.reduce(differing))


@given(st.integers(2, 6), st.data())
@settings(max_examples=20, deadline=None)
def test_ecube_has_corrected_the_dimensions_above_the_one_that_it_crosses(n, data):
    """Dimensions fall: above, the bits are the destination's already, below still the source's."""
    network = Network(Hypercube(n=n))
    (kind,) = network.router_kinds
    i = data.draw(st.integers(0, n - 1))
    below, bit, above = (1 << i) - 1, 1 << i, (1 << n) - (2 << i)
    arrives = KnownHeader(KnownBits(above | bit, 0), KnownBits(below, bit))
    leaves = KnownHeader(KnownBits(above, bit), KnownBits(below | bit, 0))
    assert network.known_header(kind, 1 + i) == arrives
    assert network.known_header(kind, 1 + i, leaving=True) == leaves


@pytest.mark.parametrize(
    "word",
    [
        "tcpg:k=1,m=1",
        "wk:w=3,levels=2",
        "hypercube:n=3,multicast=yes",
        "moebius:n=3,routing=spr,vc_scheme=escape",
    ],
)
def test_nothing_is_known_where_packets_branch_are_sent_on_or_escape(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        assert {network.known_header(kind, port) for port in kind.ports} == {KnownHeader()}


def test_nothing_is_known_of_more_nodes_than_are_walked():
    large, small = Network(Mesh(x=2, y=LIMIT // 2 + 1)), Network(Torus(x=2, y=2))
    assert large.known_header(large.router_kinds[0], LOCAL) == KnownHeader()
    assert small.known_header(small.router_kinds[0], LOCAL) != KnownHeader()


def test_nothing_is_known_where_no_packet_passes():
    network = Network(Mesh(x=2, y=2))
    for kind in network.router_kinds:
        nowhere = set(range(len(network.topology.ports))) - set(kind.ports)
        assert len(nowhere) == 2  # a corner has two links of four
        for port, leaving in product(nowhere, [False, True]):
            assert network.known_header(kind, port, leaving=leaving) == KnownHeader()


def test_dfr_has_corrected_all_dimensions_above_the_one_that_it_crosses():
    """Section 4: it crosses the highest that differs."""
    network = Network(Moebius(n=5))
    (kind,) = network.router_kinds
    for i in range(5):
        above = 0b11111 & ~((2 << i) - 1)
        assert network.known_header(kind, 1 + i).destination.same & above == above
