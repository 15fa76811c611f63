"""Packets that a network tells of as lost: which they may be, and what is wrong."""

from contextlib import contextmanager

import pytest
from knotwork import Network
from knotwork_sim.scoreboard import Scoreboard
from knotwork_sim.scoreboard.mismatch import Mismatch

NETWORK = Network.from_word("mesh:x=2,y=2,tables=loaded,name=noc")
CUT = 1


@pytest.fixture
def board():
    """Scoreboard that expects three packets of a flow."""
    board = Scoreboard(NETWORK)
    for data in ([1, 2, 3], [4], [5, 6]):
        board.sent(0, 3, data)
    return board


def test_a_packet_that_was_told_of_may_be_any_before_the_next_one_that_comes(board):
    board.lost(0, 3)
    board.received(3, [1, 2, 3], tid=0)
    assert board.losses == []
    board.received(3, [5, 6], tid=0)
    assert [packet.number for packet in board.losses] == [1]
    assert board.is_complete
    board.finish()
    assert board.pairs == {(0, 3): 2}


def test_packets_that_were_told_of_are_missed_no_more(board):
    for _ in range(3):
        assert not board.is_complete
        board.lost(0, 3)
    assert board.is_complete
    board.finish()
    assert [packet.number for packet in board.losses] == [0, 1, 2]


def test_a_packet_may_be_cut(board):
    board.received(3, [1, 2, 0], tid=0, user=CUT)
    assert [packet.number for packet in board.losses] == [0]
    board.lost(0, 3)
    board.received(3, [5, 0], tid=0, user=CUT)
    assert [packet.number for packet in board.losses] == [0, 1, 2]
    board.finish()
    assert not board.pairs.total()


@contextmanager
def make_mismatch(line):
    """Context that must end with a mismatch that begins with this line."""
    with pytest.raises(Mismatch) as error:
        yield
    assert str(error.value).splitlines()[0] == f"noc: {line}"


def test_a_packet_that_is_missing_and_not_reported_is_told(board):
    board.lost(0, 3)
    board.received(3, [1, 2, 3], tid=0)
    with make_mismatch("packet 2 must reach node 3 (@1.1)"):
        board.finish()


def test_more_losses_than_packets_are_told(board):
    line = "node 1 (@0.1) must have a packet on its way to node 3 (@1.1) that can be lost"
    with make_mismatch(f"{line}, in cycle 7"):
        board.lost(1, 3, 7)


@pytest.mark.parametrize("data", [[4, 0], [1, 3, 0], [1, 2, 3, 0], [0]])
def test_a_beginning_of_no_packet_that_is_due_is_told(board, data):
    line = "must get the beginning of a packet that is due, not others marked as lost, in cycle 9"
    with make_mismatch(f"node 3 (@1.1) {line}"):
        board.received(3, data, tid=0, user=CUT, cycle=9)
