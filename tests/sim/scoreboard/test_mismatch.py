"""The text of a mismatch."""

from knotwork import Network
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.mismatch import Mismatch, listed, packet_text, told
from knotwork_sim.scoreboard.network_facts import NetworkFacts
from knotwork_sim.scoreboard.sent_packet import Kind

FACTS = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))


def test_a_text_tells_packet_facts_and_way_a_line_each():
    packet = Expected(FACTS).add(0, (3,), bytes(8), cycle=4)
    found = told(
        FACTS, "lost", "it must come", packet=packet, node=3, cycle=9, details=[("is", "nowhere")]
    )
    assert isinstance(found, AssertionError)
    assert str(found).splitlines() == [
        "hypercube_n3: it must come, in cycle 9",
        "  packet 0: node 0 (@000) to node 3 (@011), 1 flit, offered in cycle 4",
        "  is: nowhere",
        "  way by the rule: 000 -dim1-> 010 -dim0-> 011 -local-> node 3",
    ]
    assert (found.what, found.packet, found.node, found.cycle) == ("lost", packet, 3, 9)


def test_a_text_without_a_packet_has_none():
    found = told(FACTS, "refused", "it must not be refused")
    assert str(found) == "hypercube_n3: it must not be refused"
    assert isinstance(found, Mismatch)


def test_a_packet_s_ends():
    expected = Expected(FACTS)
    everyone = expected.add(0, tuple(range(1, 8)), bytes(16), kind=Kind.BROADCAST)
    refused = expected.add(7, (), bytes(8))
    assert packet_text(FACTS, everyone) == "node 0 (@000) to everyone, 2 flits"
    assert packet_text(FACTS, refused) == "node 7 (@111) to no node, 1 flit"


def test_of_many_things_the_first_are_listed():
    assert listed("abc") == "a, b, c"
    assert listed(map(str, range(12))) == "0, 1, 2, 3, 4, 5, 6, 7 and 4 more"
