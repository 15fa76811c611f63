"""Beats and refusals that must come in the golden model's cycles."""

import pytest
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.scoreboard.exact_cycles import ExactCycles

WIDE = 1 << 70 | 5
BEATS = [
    TakenBeat(4, 2, 1, 0, 0, 9),
    TakenBeat(5, 2, 1, 1, 0, WIDE),
    TakenBeat(5, 3, 0, 1, 0, 7),
    TakenBeat(8, 2, 0, 1, 0, 6),
]


@pytest.fixture
def exact():
    return ExactCycles.of(Record.from_beats(BEATS, [(3, 1), (6, 1)], words=2, clocks=9))


def test_each_node_has_its_beats_in_its_order(exact):
    assert exact.beats == BEATS
    assert exact.takes(BEATS[2])
    assert exact.next_at(2) == BEATS[0]
    assert not exact.takes(BEATS[1])
    assert not exact.takes(BEATS[0]._replace(clock=5))
    assert exact.takes(BEATS[0])
    assert exact.takes(BEATS[1])
    assert exact.next_at(3) is None
    assert not exact.takes(BEATS[2])


def test_a_beat_is_missing_once_its_cycle_has_passed(exact):
    assert not exact.misses(3)
    exact.takes(BEATS[0])
    assert not exact.misses(4)
    exact.takes(BEATS[2])
    assert exact.misses(5)
    assert exact.missing() == BEATS[1]
    exact.takes(BEATS[1])
    assert not exact.misses(7)
    assert exact.misses(8)


def test_the_beats_of_a_packet_are_found_by_any_of_them(exact):
    assert exact.packet_of(BEATS[0]) == exact.packet_of(BEATS[1]) == BEATS[:2]
    assert exact.packet_of(BEATS[3]) == [BEATS[3]]


def test_a_refusal_has_its_cycle_too(exact):
    assert exact.next_refusal(1) == 3
    assert not exact.refuses(1, 4)
    assert exact.refuses(1, 3)
    assert exact.refuses(1, 6)
    assert exact.next_refusal(1) is None
    assert not exact.refuses(0, 6)
