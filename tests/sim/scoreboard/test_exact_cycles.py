"""Beats, refusals and injections that must come in the golden model's cycles."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.scoreboard import Mismatch, Scoreboard
from knotwork_sim.scoreboard.exact_cycles import ExactCycles
from knotwork_sim.scoreboard.scoreboard import check_events

WIDE = 1 << 70 | 5
GOLDEN = [
    TakenBeat(4, 2, 1, 0, 0, 9),
    TakenBeat(5, 2, 1, 1, 0, WIDE),
    TakenBeat(5, 3, 0, 1, 0, 7),
    TakenBeat(8, 2, 0, 1, 0, 6),
]


@pytest.fixture
def exact():
    return ExactCycles.of(Record.from_beats(GOLDEN, [(3, 1), (6, 1)], words=2, clocks=9))


def test_each_node_has_its_beats_in_its_order(exact):
    assert exact.beats == GOLDEN
    assert exact.takes(GOLDEN[2])
    assert exact.next_at(2) == GOLDEN[0]
    assert not exact.takes(GOLDEN[1])
    assert not exact.takes(GOLDEN[0]._replace(clock=5))
    assert exact.takes(GOLDEN[0])
    assert not exact.misses(4)
    assert exact.misses(5)
    assert exact.missing() == GOLDEN[1]
    assert exact.takes(GOLDEN[1])
    assert (exact.misses(7), exact.misses(8)) == (False, True)
    assert exact.next_at(3) is None


def test_the_beats_of_a_packet_are_found_by_any_of_them(exact):
    assert exact.packet_of(GOLDEN[0]) == exact.packet_of(GOLDEN[1]) == GOLDEN[:2]
    assert exact.packet_of(GOLDEN[3]) == [GOLDEN[3]]


def test_a_refusal_has_its_cycle_too(exact):
    assert exact.next_refusal(1) == 3
    assert not exact.refuses(1, 4)
    assert exact.refuses(1, 3)
    assert exact.refuses(1, 6)
    assert exact.next_refusal(1) is None
    assert not exact.refuses(0, 6)


BEATS = [TakenBeat(3, 3, 0, 1, 0, 7), TakenBeat(4, 3, 1, 1, 0, 8)]
EVENTS = {"beats": BEATS, "refused": [(6, 2)], "injected": [0, 2, 5], "status": [(0, 1), (5, 0)]}


@pytest.fixture
def board():
    board = Scoreboard(Network.from_word("hypercube:n=2"))
    board.sent(0, 3, [7])
    board.sent(1, 3, [8])
    board.sent(2, 4, [9])  # there is no node 4
    board.expect_cycles(ExactCycles(**EVENTS))
    return board


def test_events_in_their_cycles_are_right(board):
    check_events(board, **EVENTS)
    board.finish()
    again = board.again()
    assert [*again.packets] == [*board.packets]
    assert not again.is_complete
    check_events(again, **EVENTS)  # nothing is compared
    assert again.is_complete


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"beats": BEATS[:1]}, "node 3 (@11) must take a beat, in cycle 4"),
        ({"injected": [0, 2, -1]}, "packet 2 must enter in cycle 5, and did not"),
        ({"injected": [0, 1, 5]}, "packet 1 must enter in cycle 2, not in cycle 1"),
        ({"refused": []}, "node 2 (@10) must refuse packet 2 in cycle 6, and did not"),
        ({"status": [(0, 1), (6, 0)]}, "status must become 0x0 in cycle 5, not become 0x0 in"),
        ({"status": [(0, 1)]}, "status must become 0x0 in cycle 5, and did not"),
    ],
)
def test_the_first_wrong_event_is_told(board, changed, told):
    with pytest.raises(Mismatch) as found:
        check_events(board, **EVENTS | changed)
        board.finish_cycles()
    assert told in str(found.value)


def test_of_two_faults_the_earlier_is_told(board):
    with pytest.raises(Mismatch, match="packet 1 must enter in cycle 2, not in cycle 1"):
        check_events(board, **EVENTS | {"beats": BEATS[:1], "injected": [0, 1, 5]})
