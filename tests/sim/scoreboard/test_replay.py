"""Runs that are told to a scoreboard when they are over."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard import Mismatch, Scoreboard
from knotwork_sim.scoreboard.exact_cycles import ExactCycles
from knotwork_sim.scoreboard.replay import judge_events

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
    judge_events(board, **EVENTS)
    board.finish()
    again = board.again()
    assert [*again.packets] == [*board.packets]
    assert not again.is_complete
    judge_events(again, **EVENTS)  # nothing is compared
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
        judge_events(board, **EVENTS | changed)
        board.finish_cycles()
    assert told in str(found.value)


def test_of_two_faults_the_earlier_is_told(board):
    with pytest.raises(Mismatch, match="packet 1 must enter in cycle 2, not in cycle 1"):
        judge_events(board, **EVENTS | {"beats": BEATS[:1], "injected": [0, 1, 5]})
