"""The words in which faults, and differences from the golden model, are reported."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.scoreboard import faults
from knotwork_sim.scoreboard.exact_cycles import ExactCycles
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.faults import Arrival
from knotwork_sim.scoreboard.mismatch import Mismatch, listed, make_mismatch, packet_text
from knotwork_sim.scoreboard.network_facts import Kind, NetworkFacts

FACTS = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))
GOLDEN = [TakenBeat(8, 5, 3, 0, 0, 0x10), TakenBeat(9, 5, 3, 1, 0, 0x20)]
PACKET = "  packet 0: node 3 (@011) to node 5 (@101), 2 flits, offered in cycle 4"
WAY = "  route by the rule: 011 -dim2-> 111 -dim1-> 101 -local-> node 5"


@pytest.fixture
def expected():
    """What is due: one packet."""
    expected = Expected(FACTS)
    expected.add(3, (5,), FACTS.contents([0x10, 0x20]), cycle=4)
    return expected


@pytest.fixture
def exact():
    """Golden model's beats of it."""
    return ExactCycles.of(Record.from_beats(GOLDEN, [(6, 3)], words=1, clocks=10))


def arrival(*data, node=5, tid=3, user=0):
    return Arrival(node, tid, FACTS.contents(data), user, 9)


def lines(mismatch):
    """Text of a mismatch, without the network's name."""
    assert isinstance(mismatch, Mismatch)
    assert isinstance(mismatch, AssertionError)
    first, *more = str(mismatch).splitlines()
    assert first.startswith("hypercube_n3: ")
    return [first.removeprefix("hypercube_n3: "), *more]


def test_a_text_has_packet_facts_and_way_a_line_each():
    packet = Expected(FACTS).add(0, (3,), bytes(8), cycle=4)
    where = {"packet": packet, "node": 3, "cycle": 9, "details": [("is", "nowhere")]}
    found = make_mismatch(FACTS, "lost", "it must come", **where)
    assert lines(found) == [
        "it must come, in cycle 9",
        "  packet 0: node 0 (@000) to node 3 (@011), 1 flit, offered in cycle 4",
        "  is: nowhere",
        "  route by the rule: 000 -dim1-> 010 -dim0-> 011 -local-> node 3",
    ]
    assert (found.what, found.packet, found.node, found.cycle) == ("lost", packet, 3, 9)
    assert lines(make_mismatch(FACTS, "refused", "it must not be refused")) == [
        "it must not be refused"
    ]


def test_a_packet_s_ends():
    expected = Expected(FACTS)
    everyone = expected.add(0, tuple(range(1, 8)), bytes(16), kind=Kind.BROADCAST)
    refused = expected.add(7, (), bytes(8))
    assert packet_text(FACTS, everyone) == "node 0 (@000) to everyone, 2 flits"
    assert packet_text(FACTS, refused) == "node 7 (@111) to no node, 1 flit"


def test_of_many_things_the_first_are_listed():
    assert listed("abc") == "a, b, c"
    assert listed(map(str, range(12))) == "0, 1, 2, 3, 4, 5, 6, 7 and 4 more"


@pytest.mark.parametrize(
    ("kind", "came", "text"),
    [
        (faults.misrouted, arrival(0x10, 0x20, node=7), [
            "packet 0 must not reach node 7 (@111), in cycle 9",
            PACKET,
            "  should be: at node 5 (@101)",
            "  is: at node 7 (@111), router 111 is on its way",
            WAY,
        ]),
        (faults.duplicated, arrival(0x10, 0x20), [
            "packet 0 must reach node 5 (@101) once, not again, in cycle 9",
            PACKET,
            WAY,
        ]),
        (faults.corrupted, arrival(0x10, 0x2003), [
            "a packet at node 5 (@101) must have the data of one that was sent, in cycle 9",
            PACKET,
            "  came: 2 beats of node 3 (@011)",
            "  nearest: packet 0",
            "  beat 1: must be 0x20, not 0x2003",
            "  wrong bits: 0, 1, 5, 13",
            WAY,
        ]),
        (faults.corrupted, arrival(0x10), [
            "a packet at node 5 (@101) must have the data of one that was sent, in cycle 9",
            PACKET,
            "  came: 1 beat of node 3 (@011)",
            "  nearest: packet 0",
            "  beats: must be 2, not 1",
            WAY,
        ]),
        (faults.corrupted, arrival(0x10, 0x20, tid=6), [
            "packet 0 must come with its source's address, in cycle 9",
            PACKET,
            "  came: tid 0x6, that of node 6 (@110)",
            WAY,
        ]),
    ],
)  # fmt: skip
def test_an_arrival_that_is_wrong(expected, kind, came, text):
    if kind is faults.corrupted:
        expected.add(3, (6,), FACTS.contents([0x10, 0x21]))  # nearer, but to another node
    assert lines(kind(expected, came, () if kind is faults.corrupted else (0,))) == text


def test_wrong_flags_and_a_wrong_order(expected):
    found = faults.wrong_user(FACTS, expected.packets[0], arrival(0x10, 0x20, user=1))
    assert lines(found)[0] == "packet 0 must have tuser 0, not 1, in cycle 9"
    second = expected.add(3, (5,), FACTS.contents([5]), cycle=6)
    found = faults.overtaken(FACTS, second, expected.packets[0], arrival(5))
    assert lines(found)[:3] == [
        "node 5 (@101) must have packet 0 before packet 1, in cycle 9",
        "  packet 1: node 3 (@011) to node 5 (@101), 1 flit, offered in cycle 6",
        PACKET,
    ]


def test_beats_that_are_no_packet():
    beats = [TakenBeat(8, 5, 3, 0, 0, 1), TakenBeat(9, 5, 2, 0, 0, 1)]
    assert lines(faults.interleaved(FACTS, beats)) == [
        "a packet at node 5 (@101) must have one source, in cycle 9",
        "  beat 0: of node 3 (@011)",
        "  beat 1: of node 2 (@010)",
    ]
    assert lines(faults.endless(FACTS, [TakenBeat(8, 5, 9, 0, 0, 1)])) == [
        "a packet at node 5 (@101) must have a last beat, not stop after 1, in cycle 8",
        "  beats: of 0x9, which is no node's address",
    ]
    assert lines(faults.corrupted(Expected(FACTS), arrival(0x10, tid=2), ())) == [
        "a packet at node 5 (@101) must have the data of one that was sent, in cycle 9",
        "  came: 1 beat of node 2 (@010)",
    ]
    network = Network.from_word("torus:x=2,y=2,router=deflection,source=no")
    found = faults.interleaved(NetworkFacts.of(network), [TakenBeat(8, 1, 0, 0, 0, 1)] * 2)
    assert str(found).splitlines()[1] == "  beat 0: of no source"


def test_lost(expected):
    expected.add(3, (6,), FACTS.contents([5]))
    assert lines(faults.lost(expected, expected.due.left())) == [
        "packet 0 must reach node 5 (@101)",
        PACKET,
        "  should be: at node 5 (@101)",
        "  is: nowhere",
        "  also lost: packet 1 to node 6 (@110)",
        WAY,
    ]


def test_refusals(expected, exact):
    found = faults.wrongly_refused(FACTS, 3, 9)
    assert lines(found) == ["node 3 (@011) must refuse no packet that it can send, in cycle 9"]
    bad = expected.add(3, (), FACTS.contents([5]), cycle=2)
    offered = "  packet 1: node 3 (@011) to no node, 1 flit, offered in cycle 2"
    assert lines(faults.not_refused(FACTS, bad, 3)) == [
        "node 3 (@011) must refuse packet 1",
        offered,
    ]
    assert lines(faults.wrong_refusal(FACTS, bad, 3, 7, exact)) == [
        "node 3 (@011) must refuse packet 1 in cycle 6, not in cycle 7",
        offered,
    ]
    assert exact.refuses(3, 6)
    found = faults.wrong_refusal(FACTS, bad, 3, 7, exact)
    assert lines(found)[0] == "node 3 (@011) must refuse packet 1 never, not in cycle 7"


@pytest.mark.parametrize(
    ("beat", "what", "text"),
    [
        (GOLDEN[0]._replace(clock=7), "wrong cycle", [
            "a beat at node 5 (@101) must come in cycle 8, not in cycle 7",
            PACKET,
            "  golden model: 0x10 of node 3 (@011), in cycle 8",
            "  came: 0x10 of node 3 (@011), in cycle 7",
            WAY,
        ]),
        (GOLDEN[0]._replace(data=0x11), "wrong beat", [
            "a beat at node 5 (@101) must be the golden model's, in cycle 8",
            PACKET,
            "  golden model: 0x10 of node 3 (@011), in cycle 8",
            "  came: 0x11 of node 3 (@011), in cycle 8",
            WAY,
        ]),
    ],
)  # fmt: skip
def test_a_beat_that_is_not_the_golden_model_s(expected, exact, beat, what, text):
    found = faults.wrong_beat(expected, beat, exact)
    assert (found.what, lines(found)) == (what, text)


def test_a_beat_at_a_node_that_its_packet_must_not_reach(expected, exact):
    found = faults.wrong_beat(expected, GOLDEN[1]._replace(node=7), exact)
    assert found.what == "misrouted"
    assert "  is: at node 7 (@111), router 111 is on its way" in lines(found)


def test_a_beat_beyond_those_of_its_node(expected, exact):
    for beat in GOLDEN:
        exact.takes(beat)
    found = faults.wrong_beat(expected, GOLDEN[1]._replace(clock=11), exact)
    assert lines(found)[2] == "  golden model: no more beats there"
    found = faults.wrong_beat(Expected(FACTS), TakenBeat(7, 1, 9, 1, 2, 5), exact)
    assert lines(found)[1:] == [
        "  golden model: no more beats there",
        "  came: 0x5 of 0x9, which is no node's address, the last beat, tuser 2, in cycle 7",
    ]


def test_a_beat_that_did_not_come(expected, exact):
    exact.takes(GOLDEN[0])
    assert exact.misses(9)
    found = faults.missing_beat(expected, exact)
    assert found.what == "missing"
    assert lines(found) == [
        "node 5 (@101) must take a beat, in cycle 9",
        PACKET,
        "  golden model: 0x20 of node 3 (@011), the last beat, in cycle 9",
        WAY,
    ]
