"""Packets taken whole: right ones, and each way to be wrong."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard.arrivals import take, unfinished
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.faults import Arrival
from knotwork_sim.scoreboard.mismatch import Mismatch
from knotwork_sim.scoreboard.network_facts import NetworkFacts


def word(number):
    return number.to_bytes(8, "little")


@pytest.fixture
def expected():
    facts = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))
    expected = Expected(facts)
    expected.add(3, (5,), word(1))
    expected.add(3, (5,), word(2))
    return expected


def refuse(expected, node, tid, contents, user=0):
    with pytest.raises(Mismatch) as caught:
        take(expected, Arrival(node, tid, contents, user, 9))
    return caught.value.what


def test_packets_arrive_once_at_their_nodes_in_order(expected):
    assert take(expected, Arrival(5, 3, word(1), 0, 9)).number == 0
    assert take(expected, Arrival(5, 3, word(2), 0, 9)).number == 1
    assert expected.due.number == 0
    assert unfinished(expected, []) is None


def test_every_other_arrival_is_wrong_and_changes_nothing(expected):
    assert refuse(expected, 4, 3, word(1)) == "misrouted"
    assert refuse(expected, 5, 3, word(2)) == "overtaken"
    assert refuse(expected, 5, 3, word(3)) == "corrupted"
    assert refuse(expected, 5, 3, word(1) + word(2)) == "corrupted"
    assert refuse(expected, 5, 2, word(1)) == "wrong source"
    assert refuse(expected, 5, 3, word(1), user=1) == "wrong tuser"
    take(expected, Arrival(5, 3, word(1), 0, 9))
    assert refuse(expected, 5, 3, word(1)) == "duplicated"
    take(expected, Arrival(5, 3, word(2), 0, 9))


def test_at_the_end_nothing_may_be_missing(expected):
    assert unfinished(expected, []).what == "lost"
    begun = [[TakenBeat(4, 5, 3, 0, 0, 1)]]
    assert unfinished(expected, begun).what == "endless"
    for data in (1, 2):
        take(expected, Arrival(5, 3, word(data), 0, 9))
    expected.add(3, (), word(3))
    assert unfinished(expected, []).what == "not refused"
