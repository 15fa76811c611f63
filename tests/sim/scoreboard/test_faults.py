"""The words in which each fault is told."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard import faults
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.faults import Arrival
from knotwork_sim.scoreboard.network_facts import NetworkFacts

FACTS = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))
LINES = [
    "  packet 0: node 3 (@011) to node 5 (@101), 2 flits, offered in cycle 4",
    "  way by the rule: 011 -dim2-> 111 -dim1-> 101 -local-> node 5",
]


@pytest.fixture
def expected():
    expected = Expected(FACTS)
    expected.add(3, (5,), FACTS.contents([0x10, 0x20]), cycle=4)
    return expected


def arrival(*data, node=5, tid=3, user=0):
    return Arrival(node, tid, FACTS.contents(data), user, 9)


def lines(mismatch):
    return str(mismatch).splitlines()


def test_misrouted(expected):
    found = faults.misrouted(expected, arrival(0x10, 0x20, node=7), (0,))
    assert lines(found) == [
        "hypercube_n3: packet 0 must not reach node 7 (@111), in cycle 9",
        LINES[0],
        "  should be: at node 5 (@101)",
        "  is: at node 7 (@111), router 111 is on its way",
        LINES[1],
    ]


def test_duplicated(expected):
    found = faults.duplicated(expected, arrival(0x10, 0x20), (0,))
    assert lines(found)[0] == (
        "hypercube_n3: packet 0 must reach node 5 (@101) once, not again, in cycle 9"
    )


def test_corrupted_data_are_told_bit_by_bit(expected):
    expected.add(3, (6,), FACTS.contents([0x10, 0x21]))  # nearer, but to another node
    found = faults.corrupted(expected, arrival(0x10, 0x2003), ())
    assert lines(found) == [
        "hypercube_n3: a packet at node 5 (@101) must have the data of one that was sent, "
        "in cycle 9",
        LINES[0],
        "  came: 2 beats of node 3 (@011)",
        "  nearest: packet 0",
        "  beat 1: must be 0x20, not 0x2003",
        "  wrong bits: 0, 1, 5, 13",
        LINES[1],
    ]


def test_a_beat_too_few(expected):
    found = faults.corrupted(expected, arrival(0x10), ())
    assert "  beats: must be 2, not 1" in lines(found)


def test_data_where_nothing_was_sent():
    found = faults.corrupted(Expected(FACTS), arrival(0x10, tid=2), ())
    assert lines(found)[1:] == ["  came: 1 beat of node 2 (@010)"]


def test_a_wrong_source(expected):
    found = faults.corrupted(expected, arrival(0x10, 0x20, tid=6), ())
    assert lines(found)[0] == (
        "hypercube_n3: packet 0 must come with its source's address, in cycle 9"
    )
    assert "  came: tid 0x6, that of node 6 (@110)" in lines(found)


def test_wrong_flags(expected):
    found = faults.wrong_user(FACTS, expected.packets[0], arrival(0x10, 0x20, user=1))
    assert lines(found)[0] == "hypercube_n3: packet 0 must have tuser 0, not 1, in cycle 9"


def test_overtaken(expected):
    second = expected.add(3, (5,), FACTS.contents([5]), cycle=6)
    found = faults.overtaken(FACTS, second, expected.packets[0], arrival(5))
    assert lines(found)[:3] == [
        "hypercube_n3: node 5 (@101) must have packet 0 before packet 1, in cycle 9",
        "  packet 1: node 3 (@011) to node 5 (@101), 1 flit, offered in cycle 6",
        LINES[0],
    ]


def test_interleaved():
    beats = [TakenBeat(8, 5, 3, 0, 0, 1), TakenBeat(9, 5, 2, 0, 0, 1)]
    assert lines(faults.interleaved(FACTS, beats)) == [
        "hypercube_n3: a packet at node 5 (@101) must have one source, in cycle 9",
        "  beat 0: of node 3 (@011)",
        "  beat 1: of node 2 (@010)",
    ]


def test_endless():
    found = faults.endless(FACTS, [TakenBeat(8, 5, 9, 0, 0, 1)])
    assert lines(found) == [
        "hypercube_n3: a packet at node 5 (@101) must have a last beat, not stop after 1, "
        "in cycle 8",
        "  beats: of 0x9, which is no node's address",
    ]


def test_lost(expected):
    expected.add(3, (6,), FACTS.contents([5]))
    found = faults.lost(expected, expected.due.left())
    assert lines(found) == [
        "hypercube_n3: packet 0 must reach node 5 (@101)",
        LINES[0],
        "  should be: at node 5 (@101)",
        "  is: nowhere",
        "  also lost: packet 1 to node 6 (@110)",
        LINES[1],
    ]


def test_refusals(expected):
    found = faults.wrongly_refused(FACTS, 3, 9)
    assert str(found) == (
        "hypercube_n3: node 3 (@011) must refuse no packet that it can send, in cycle 9"
    )
    bad = expected.add(3, (), FACTS.contents([5]), cycle=6)
    assert lines(faults.not_refused(FACTS, bad, 3)) == [
        "hypercube_n3: node 3 (@011) must refuse packet 1",
        "  packet 1: node 3 (@011) to no node, 1 flit, offered in cycle 6",
    ]


def test_a_network_without_sources_tells_none():
    network = Network.from_words(["torus", "x=2", "y=2", "router=deflection", "source=no"])
    found = faults.interleaved(NetworkFacts.of(network), [TakenBeat(8, 1, 0, 0, 0, 1)] * 2)
    assert lines(found)[1] == "  beat 0: of no source"
