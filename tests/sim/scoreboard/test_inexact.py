"""The words in which a difference from the golden model is told."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.scoreboard import inexact
from knotwork_sim.scoreboard.exact_cycles import ExactCycles
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.network_facts import NetworkFacts

FACTS = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))
GOLDEN = [TakenBeat(8, 5, 3, 0, 0, 0x10), TakenBeat(9, 5, 3, 1, 0, 0x20)]
PACKET = "  packet 0: node 3 (@011) to node 5 (@101), 2 flits, offered in cycle 4"
WAY = "  way by the rule: 011 -dim2-> 111 -dim1-> 101 -local-> node 5"


@pytest.fixture
def expected():
    expected = Expected(FACTS)
    expected.add(3, (5,), FACTS.contents([0x10, 0x20]), cycle=4)
    return expected


@pytest.fixture
def exact():
    return ExactCycles.of(Record.from_beats(GOLDEN, [(6, 3)], words=1, clocks=10))


def lines(mismatch):
    return str(mismatch).splitlines()


def test_a_beat_in_a_wrong_cycle(expected, exact):
    found = inexact.wrong_beat(expected, GOLDEN[0]._replace(clock=7), exact)
    assert found.what == "wrong cycle"
    assert lines(found) == [
        "hypercube_n3: a beat at node 5 (@101) must come in cycle 8, not in cycle 7",
        PACKET,
        "  golden model: 0x10 of node 3 (@011), in cycle 8",
        "  came: 0x10 of node 3 (@011), in cycle 7",
        WAY,
    ]


def test_a_beat_with_a_wrong_bit(expected, exact):
    found = inexact.wrong_beat(expected, GOLDEN[0]._replace(data=0x11), exact)
    assert found.what == "wrong beat"
    assert lines(found)[:4] == [
        "hypercube_n3: a beat at node 5 (@101) must be the golden model's, in cycle 8",
        PACKET,
        "  golden model: 0x10 of node 3 (@011), in cycle 8",
        "  came: 0x11 of node 3 (@011), in cycle 8",
    ]


def test_a_beat_at_a_node_that_its_packet_must_not_reach(expected, exact):
    found = inexact.wrong_beat(expected, GOLDEN[1]._replace(node=7), exact)
    assert found.what == "misrouted"
    assert "  is: at node 7 (@111), router 111 is on its way" in lines(found)


def test_a_beat_behind_all_of_its_node(expected, exact):
    for beat in GOLDEN:
        exact.takes(beat)
    found = inexact.wrong_beat(expected, GOLDEN[1]._replace(clock=11), exact)
    assert lines(found)[2] == "  golden model: no more beats there"


def test_a_beat_that_no_packet_has(exact):
    found = inexact.wrong_beat(Expected(FACTS), TakenBeat(7, 1, 9, 1, 2, 5), exact)
    assert lines(found)[1:] == [
        "  golden model: no more beats there",
        "  came: 0x5 of 0x9, which is no node's address, the last beat, tuser 2, in cycle 7",
    ]


def test_a_beat_that_did_not_come(expected, exact):
    exact.takes(GOLDEN[0])
    assert exact.misses(9)
    found = inexact.missing_beat(expected, exact)
    assert found.what == "missing"
    assert lines(found) == [
        "hypercube_n3: node 5 (@101) must take a beat, in cycle 9",
        PACKET,
        "  golden model: 0x20 of node 3 (@011), the last beat, in cycle 9",
        WAY,
    ]


def test_a_refusal_in_a_wrong_cycle(expected, exact):
    bad = expected.add(3, (), FACTS.contents([5]), cycle=2)
    assert lines(inexact.wrong_refusal(FACTS, bad, 3, 7, exact)) == [
        "hypercube_n3: node 3 (@011) must refuse packet 1 in cycle 6, not in cycle 7",
        "  packet 1: node 3 (@011) to no node, 1 flit, offered in cycle 2",
    ]
    assert exact.refuses(3, 6)
    found = inexact.wrong_refusal(FACTS, bad, 3, 7, exact)
    assert lines(found)[0] == (
        "hypercube_n3: node 3 (@011) must refuse packet 1 never, not in cycle 7"
    )
