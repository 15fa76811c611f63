from itertools import product

import numpy as np
import pytest
from knotwork import Mesh, Network, Torus
from knotwork.routing.walks.headers import LIMIT, HeaderBits
from knotwork.topology import LOCAL

WORDS = (
    *("hypercube:n=3", "mesh:x=4,y=2", "mesh:x=3,y=3", "torus:x=4,y=3", "ccc:n=3", "petersen"),
    *("moebius:n=4,twist=1", "moebius:n=4,routing=spr", "rp:k=3"),
)


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


@pytest.mark.parametrize("word", WORDS)
def test_it_is_exactly_what_all_packets_have_in_common(word):
    network = Network.from_word(word)
    seen = seen_at(network)
    everything = (1 << network.topology.address_width) - 1
    for (number, port, leaving), codes in seen.items():
        known = network.known_header(network.router_kinds[number], port, leaving=leaving)
        if leaving and port == LOCAL:  # by it no packet goes to another router
            assert known == HeaderBits()
            continue
        for place in range(2):
            differing = [code[0] ^ code[1 + place] for code in codes]
            same = everything & ~np.bitwise_or.reduce(differing)
            assert known[place] == (same, np.bitwise_and.reduce(differing))


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
        assert {network.known_header(kind, port) for port in kind.ports} == {HeaderBits()}


def test_nothing_is_known_of_more_nodes_than_are_walked():
    large, small = Network(Mesh(x=2, y=LIMIT // 2 + 1)), Network(Torus(x=2, y=2))
    assert large.known_header(large.router_kinds[0], LOCAL) == HeaderBits()
    assert small.known_header(small.router_kinds[0], LOCAL) != HeaderBits()


def test_nothing_is_known_where_no_packet_passes():
    network = Network(Mesh(x=2, y=2))
    for kind in network.router_kinds:
        nowhere = set(range(len(network.topology.ports))) - set(kind.ports)
        assert len(nowhere) == 2  # a corner has two links of four
        for port, leaving in product(nowhere, [False, True]):
            assert network.known_header(kind, port, leaving=leaving) == HeaderBits()
