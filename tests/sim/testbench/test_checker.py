"""What a checker makes of packets, beats and refusals, and what it says."""

from dataclasses import replace

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard import Mismatch
from knotwork_sim.testbench import Scoreboard
from knotwork_sim.testbench.checker import (
    Arrival,
    TrafficChecker,
    late_packet,
    missed_upset,
    stuck_network,
    summary,
    unexpected_packet,
)
from knotwork_sim.testbench.headers import to_address, to_node
from knotwork_sim.testbench.observation import Observation
from knotwork_sim.traffic.packets import NEVER

MESH = Network.from_word("mesh:x=3,y=2")  # the addresses 6 and 7 are no node
NOWHERE = MESH.topology.unused_addresses[0]


@pytest.fixture
def checker():
    return TrafficChecker(MESH, driven=[0, 1])


def test_a_packet_of_a_driven_node_is_expected_from_its_sending_on(checker):
    sent = checker.expect_packet(to_node(MESH, 0, 2, [5, 6]))
    checker.note_packet(to_node(MESH, 0, 2, [5, 6]))  # the watcher sees it enter
    checker.note_beat(TakenBeat(7, 2, 0, 0, 0, 5))
    assert not checker.arrived[2]
    checker.note_beat(TakenBeat(8, 2, 0, 1, 0, 6))
    (arrival,) = checker.arrived[2]
    assert (arrival.packet, arrival.data, arrival.cycle) == (sent, (5, 6), 8)
    assert checker.scoreboard.is_complete


def test_a_packet_of_the_design_is_expected_once_it_has_entered(checker):
    checker.note_packet(to_node(MESH, 4, 2, [5]))
    checker.note_beat(TakenBeat(7, 2, MESH.topology.address(4), 1, 0, 5))
    assert dict(checker.scoreboard.pairs) == {(4, 2): 1}
    with pytest.raises(Mismatch):
        checker.note_beat(TakenBeat(8, 2, 0, 1, 0, 5))  # which nobody sent


def test_refusals_are_those_of_packets_that_cannot_go(checker):
    checker.expect_packet(to_address(MESH, 1, NOWHERE, [1]))
    checker.note_refusal(1, 5)
    with pytest.raises(Mismatch):
        checker.note_refusal(1, 6)


def test_a_reset_forgets_everything(checker):
    checker.expect_packet(to_node(MESH, 0, 2, [5, 6]))
    checker.note_beat(TakenBeat(7, 2, 0, 0, 0, 5))
    checker.forget()
    assert checker.scoreboard.is_complete
    checker.expect_packet(to_node(MESH, 0, 2, [6]))
    checker.note_beat(TakenBeat(1, 2, 0, 1, 0, 6))
    assert checker.arrived[2][0].data == (6,)


CUBE = Network.from_word("hypercube:n=2,pipeline=2")
DATA = [0x11, 0x22, 0x33]
ARRIVES = 11  # 5 + pipeline * (hops + 1), two hops from node 0 to node 3
DETAILS = [
    "  packet 0: node 0 (@00) to node 3 (@11), 3 flits",
    "  golden model: 0x11 of node 0 (@00), in cycle 11",
    "  came: 0x11 of node 0 (@00), in cycle 10",
    "  route by the rule: 00 -dim1-> 10 -dim0-> 11 -local-> node 3",
]


def arriving(data, user=0):
    """Beats of the packet at node 3."""
    return [
        TakenBeat(ARRIVES + place, 3, 0, int(place == 2), user, beat)
        for place, beat in enumerate(data)
    ]


def entered(network):
    """TrafficChecker and observation of a packet from node 0 to node 3, offered from cycle 5 on."""
    checker, seen = TrafficChecker(network, driven=range(4)), Observation.of(4)
    offered = to_node(network, 0, 3, DATA)
    sent = checker.expect_packet(offered)
    seen.sent[0].append(replace(offered, offered=[5, 6, 7], injected=5))
    seen.ready += [0b1111] * 40
    return checker, seen, sent


@pytest.fixture
def watched():
    """The same after the packet has arrived."""
    checker, seen, _ = entered(CUBE)
    seen.beats += arriving(DATA)
    for beat in seen.beats:
        checker.note_beat(beat)
    return checker, seen


def test_packets_in_their_cycles_and_those_to_come_are_right(watched):
    checker, seen = watched
    checker.check_cycles(seen)
    checker.check_cycles(seen)  # as `drain` and `finish` do
    empty = Observation.of(4)
    empty.ready += [0b1111] * 5
    TrafficChecker(CUBE, driven=range(4)).check_cycles(empty)
    seen.ready[ARRIVES + 1 :] = []
    seen.beats[1:] = []
    checker.expect_packet(to_node(CUBE, 2, 1, [5]))
    checker.check_cycles(seen)


def change_beat(number, **changed):
    def change(seen):
        seen.beats[number] = seen.beats[number]._replace(**changed)

    return change


@pytest.mark.parametrize(
    ("fault", "first", "more"),
    [
        (
            change_beat(0, clock=ARRIVES - 1),
            "a beat at node 3 (@11) must come in cycle 11, not in cycle 10",
            DETAILS,
        ),
        (
            change_beat(2, source=2),
            "a beat at node 3 (@11) must be the golden model's",
            ["  came: 0x33 of node 2 (@10), the last beat, in cycle 13"],
        ),
        (lambda seen: seen.beats.pop(), "node 3 (@11) must take a beat, in cycle 13", []),
        (
            lambda seen: seen.beats.append(seen.beats[2]._replace(clock=20)),
            "",
            ["  golden model: no more beats there"],
        ),
        (
            lambda seen: setattr(seen.sent[0][0], "injected", 6),
            "packet 0 must enter in cycle 5, not in cycle 6",
            [],
        ),
        (
            lambda seen: setattr(seen.sent[0][0], "injected", NEVER),
            "packet 0 must enter in cycle 5, and did not",
            [],
        ),
        (
            lambda seen: seen.refused.append((9, 2)),
            "node 2 (@10) must refuse no packet that it can send, in cycle 9",
            [],
        ),
    ],
)
def test_every_other_observation_is_a_mismatch(watched, fault, first, more):
    checker, seen = watched
    fault(seen)
    with pytest.raises(Mismatch) as found:
        checker.check_cycles(seen)
    said = str(found.value).splitlines()
    assert said[0].startswith(f"{CUBE.name}: {first}")
    assert set(said) >= {*more}


def test_a_refusal_that_does_not_come_is_told():
    checker, seen = TrafficChecker(MESH, driven=[1]), Observation.of(6)
    bad = to_address(MESH, 1, NOWHERE, [1])
    checker.expect_packet(bad)
    seen.sent[1].append(replace(bad, offered=[5], injected=5))
    seen.ready += [0b111111] * 20
    line = r"node 1 \(@0\.1\) must refuse packet 0 in cycle 6, and did not"
    with pytest.raises(Mismatch, match=line):
        checker.check_cycles(seen)
    seen.refused.append((6, 1))
    checker.check_cycles(seen)


def test_a_packet_with_an_upset_comes_in_its_cycles_changed_and_marked():
    checker, seen, sent = entered(Network.from_word("hypercube:n=2,pipeline=2,parity=yes"))
    changed = checker.note_upset(sent, 4, seen)
    assert checker.scoreboard.packets == [changed]
    seen.beats += arriving([0x11 ^ 0x10, 0x22, 0x33], user=1)
    for beat in seen.beats:
        checker.note_beat(beat)
    checker.check_cycles(seen)
    change_beat(1, user=0)(seen)
    with pytest.raises(Mismatch, match=r"a beat at node 3 .* must be the golden model's"):
        checker.check_cycles(seen)


@pytest.fixture
def scoreboard():
    board = Scoreboard(Network.from_word("hypercube:n=2"))
    board.sent(0, 3, [0x11], cycle=5)
    board.sent(2, 3, [0x22, 0x33])
    return board


def test_late_other_and_missing_packets_and_a_stuck_network_are_mismatches(scoreboard):
    assert str(late_packet(scoreboard, 3, 100, 120)).startswith(
        "hypercube_n2: node 3 (@11) must get a packet within 100 cycles, and got none, in cycle 120"
    )
    alone = Scoreboard(Network.from_word("hypercube:n=2"))
    alone.sent(0, 3, [0x11])
    text = str(late_packet(alone, 3, 100, 120))
    assert "node 0 (@00) to node 3 (@11), 1 flit" in text
    assert "-dim" in text  # the last hops
    arrival = Arrival(scoreboard.packets[1], 3, (0x22, 0x33), 0, 9)
    assert unexpected_packet(scoreboard, arrival, source=2, data=[0x22, 0x33]) is None
    text = str(unexpected_packet(scoreboard, arrival, source=0, data=None))
    assert "awaited: one from node 0 (@00)" in text
    assert "got: one from node 2 (@10)" in text
    text = str(unexpected_packet(scoreboard, arrival, source=None, data=[0x22]))
    assert "awaited: 0x22\n  got: 0x22, 0x33" in text
    text = str(missed_upset(scoreboard, scoreboard.packets[0], 4, 60))
    assert "packet 0 must come to buffer 4 of its way, and did not, in cycle 60" in text
    assert "must take a beat within 50 cycles" in str(stuck_network(scoreboard, 50, 60))


def test_a_summary_counts_packets_and_pairs(scoreboard):
    scoreboard.received(3, [0x11], tid=0)
    assert summary(scoreboard, 50, is_exact=False) == "2 packets, 1 of 16 pairs of nodes, 50 cycles"
    assert summary(scoreboard, 50, is_exact=True).endswith(", all as in the golden model")
