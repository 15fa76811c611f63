"""Turns and headers of the routing's rule, against paths found by hand."""

from itertools import product

import pytest
from helpers.cases import slow
from helpers.paths import arrivals, escapes
from knotwork import Network
from knotwork.formal.packet.rule_turns import legal_copies, legal_headers, legal_turns
from knotwork.topology import LOCAL


def ecube(here, destination):
    """Routers on the path, highest dimension first, and the port to each of them."""
    way = [(here, LOCAL)]
    while here != destination:
        port = (here ^ destination).bit_length()
        here ^= 1 << (port - 1)
        way.append((here, port))
    return way


def test_headers_are_those_of_all_paths():
    network = Network.from_word("hypercube:n=3")
    (kind,) = network.router_kinds
    expected = set()
    for source, destination in product(range(8), repeat=2):
        way = ecube(source, destination)
        outputs = [port for _, port in way[1:]] + [LOCAL]
        for (router, port), output in zip(way, outputs, strict=True):
            expected.add((port, output, router, destination, source))
    found = {
        (turn.input_port, turn.output_port, *codes)
        for turn, headers in legal_headers(network, kind).items()
        for codes in headers
    }
    assert found == expected


@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=3,routing=spr",
        "moebius:n=3,routing=spr,vc_scheme=escape",
        "wk:w=3,levels=2",
        "mesh:x=3,y=2",
    ],
)
def test_headers_without_their_sources_are_what_takes_the_turns(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        turns = legal_turns(network, kind)
        headers = legal_headers(network, kind)
        assert {turn: {codes[:2] for codes in found} for turn, found in headers.items()} == turns


def test_packets_that_can_escape_take_two_turns():
    network = Network.from_word("moebius:n=3,routing=spr,vc_scheme=escape")
    (kind,) = network.router_kinds
    address = network.topology.address
    expected = {turn: set() for turn in kind.turns}
    for found in (arrivals(network), escapes(network)):
        for (router, *_), flows in found.items():
            for (source, destination), turn in flows.items():
                expected[turn].add((address(router), address(destination), address(source)))
    assert legal_headers(network, kind) == expected


@pytest.mark.parametrize(
    "words",
    [
        "wk w=3 levels=2",
        "wk w=3 levels=2 broadcast=mask",
        "wk w=2 levels=3 broadcast=stack",
        slow("tcpg k=1 m=1"),
    ],
)
def test_as_many_copies_come_to_the_routers_as_there_are_nodes(words):
    network = Network.from_words(words.split())
    topology, routing = network.topology, network.routing
    cases = [
        (case.address, case.source)
        for kind in network.router_kinds
        for (_, vc), ones in legal_copies(network, kind).items()
        for case in ones
        if vc < routing.classes
    ]
    assert len(set(cases)) == len(cases) == topology.nodes**2
