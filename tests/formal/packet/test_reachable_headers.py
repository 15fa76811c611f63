"""Headers that come to packet routers, against paths found by hand."""

from itertools import product

import pytest
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, Property, prove_router
from knotwork.formal.packet.reachable_headers import assume_reachable
from knotwork.formal.packet.rule_turns import legal_headers, legal_turns
from knotwork.topology import LOCAL


def ecube(here, destination):
    """Routers on the way, highest dimension first, and the port to each of them."""
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


@pytest.mark.parametrize("word", ["moebius:n=3,routing=spr", "wk:w=3,levels=2", "mesh:x=3,y=2"])
def test_headers_without_their_sources_are_what_takes_the_turns(word):
    network = Network.from_word(word)
    for kind in network.router_kinds:
        turns = legal_turns(network, kind)
        headers = legal_headers(network, kind)
        assert {turn: {codes[:2] for codes in found} for turn, found in headers.items()} == turns


@pytest.mark.parametrize(("is_walked", "result"), [(True, PROVEN), (False, FAILED)])
def test_headers_of_paths_can_come_and_no_others(is_walked, result):
    """No node is in column 3, which a router of a mesh does not see by itself."""
    network = Network.from_word("mesh:x=3,y=2,data_width=8,buffer_depth=2")
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    port = network.topology.ports.index("L")

    def claim(harness):
        if is_walked:
            assume_reachable(harness)
        channel = harness.channels[port, 0]
        columns = [value[:2] for value in (channel.entry.flit.destination, harness.port("address"))]
        harness.claim(~channel.offered | (columns[0] != 3))
        harness.cover(channel.offered & (columns[0] == columns[1]))
        harness.cover(channel.offered & (columns[0] == 2) & (columns[1] == 1))

    one = Property(name="walked", text="of what comes", claim=claim, cover=8)
    (found,) = prove_router(network, kind, router_verilog(network, kind), [one])
    assert found.result == result
