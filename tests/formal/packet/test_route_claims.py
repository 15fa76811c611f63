"""Proofs of route computations, and the turns and headers that the rule allows."""

from itertools import product

import pytest
from helpers.cases import slow
from helpers.paths import arrivals, escapes
from helpers.proven import router_outcomes
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, Property, prove_router
from knotwork.formal.packet import router_harness, special_channels
from knotwork.formal.packet.route_claims import assume_reachable
from knotwork.formal.packet.rule_turns import legal_copies, legal_headers, legal_turns, legal_ways
from knotwork.gateware.networks.wk import BRANCH_COMPUTATIONS, LabelBranches
from knotwork.gateware.packet import inputs
from knotwork.output_ways import way_combinations
from knotwork.topology import LOCAL


def test_gates_that_branch_otherwise_than_the_rule_are_found(monkeypatch):
    class Reversed(LabelBranches):
        def _crosses(self):
            return ~super()._crosses()

    monkeypatch.setitem(BRANCH_COMPUTATIONS, "label", Reversed)
    found = router_outcomes("wk w=2 levels=2 data_width=8 buffer_depth=2", only=["branches"])
    assert found["branches"][0] == FAILED


TABLES = "ring n=5 routing=updown data_width=8 buffer_depth=2"
"""Its routers are one module, and each has a table of its own."""


@pytest.mark.parametrize(
    "words", [TABLES, slow("torus x=3 y=2 routing=updown data_width=8 buffer_depth=2")]
)
def test_routers_with_tables_of_their_own_are_proven(words):
    """The addresses of the second one are not the numbers of its nodes."""
    assert router_outcomes(words, only=["route"])["route"] == (PROVEN, "")


def test_a_table_of_another_router_is_found(monkeypatch):
    def of_another(network, router):
        tables = inputs.constants(network, 3 if router == 1 else router)
        return tables | inputs.address_constant(network, router)

    monkeypatch.setattr(router_harness, "constants", of_another)
    assert router_outcomes(TABLES, only=["route"])["route"][0] == FAILED


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
        "mesh:x=3,y=2,routing=adaptive",
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


def test_packets_that_choose_have_the_ways_that_get_nearer_and_then_their_escape():
    """At the middle of a mesh; they escape along the row first."""
    network = Network.from_word("mesh:x=3,y=3,routing=adaptive")
    left, right, up, down = map(network.topology.ports.index, "LRUD")
    expected = {
        0: [(left, 0), (up, 0), (left, 1)],
        1: [(up, 0), (up, 0), (up, 1)],
        2: [(right, 0), (up, 0), (right, 1)],
        4: [(left, 0), (left, 0), (left, 1)],
        5: [(LOCAL, 0)],
        6: [(right, 0), (right, 0), (right, 1)],
        8: [(left, 0), (down, 0), (left, 1)],
        9: [(down, 0), (down, 0), (down, 1)],
        10: [(right, 0), (down, 0), (right, 1)],
    }
    kind = network.router_kinds[network.router_number[4]]
    found = {
        destination: [turn[2:] for turn in ways]
        for ways, codes in legal_ways(network, kind).items()
        for _, destination in codes
        if ways[0][:2] == (LOCAL, 0)
    }
    assert found == expected


def test_ways_of_packets_that_the_proofs_assume_not_to_come_are_found(monkeypatch):
    monkeypatch.setattr(
        special_channels, "way_combinations", lambda *place: way_combinations(*place)[1:]
    )
    words = "mesh x=2 y=2 routing=adaptive data_width=8 buffer_depth=2"
    result, reason = router_outcomes(words, only=["route"])["route"]
    assert (result, reason[:14]) == (FAILED, "counterexample")


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
