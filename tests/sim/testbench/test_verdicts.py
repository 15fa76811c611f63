"""What a testbench says of late and unexpected packets."""

import pytest
from knotwork import Hypercube, Network
from knotwork_sim.testbench import Scoreboard
from knotwork_sim.testbench.verdicts import Arrival, late, other, stuck, summary, unseen


@pytest.fixture
def scoreboard():
    board = Scoreboard(Network(Hypercube(n=2)))
    board.sent(0, 3, [0x11], cycle=5)
    board.sent(2, 3, [0x22, 0x33])
    return board


def test_a_late_packet_is_named_where_it_is_the_only_one(scoreboard):
    assert str(late(scoreboard, 3, 100, 120)).startswith(
        "hypercube_n2: node 3 (@11) must get a packet within 100 cycles, and got none, in cycle 120"
    )
    alone = Scoreboard(Network(Hypercube(n=2)))
    alone.sent(0, 3, [0x11])
    text = str(late(alone, 3, 100, 120))
    assert "node 0 (@00) to node 3 (@11), 1 flit" in text
    assert "-dim" in text  # the last hops


def test_another_packet_than_the_awaited_one_is_told(scoreboard):
    arrival = Arrival(scoreboard.packets[1], 3, (0x22, 0x33), 0, 9)
    assert other(scoreboard, arrival, source=2, data=[0x22, 0x33]) is None
    text = str(other(scoreboard, arrival, source=0, data=None))
    assert "awaited: one from node 0 (@00)" in text
    assert "got: one from node 2 (@10)" in text
    assert "awaited: 0x22\n  got: 0x22, 0x33" in str(
        other(scoreboard, arrival, source=None, data=[0x22])
    )


def test_a_packet_that_does_not_come_to_a_buffer_is_told(scoreboard):
    text = str(unseen(scoreboard, scoreboard.packets[0], 4, 60))
    assert "packet 0 must come to buffer 4 of its way, and did not, in cycle 60" in text


def test_a_stuck_network_is_told(scoreboard):
    assert "must take a beat within 50 cycles" in str(stuck(scoreboard, 50, 60))


def test_a_summary_counts_packets_and_pairs(scoreboard):
    scoreboard.received(3, [0x11], tid=0)
    assert summary(scoreboard, 50, is_exact=False) == "2 packets, 1 of 16 pairs of nodes, 50 cycles"
    assert summary(scoreboard, 50, is_exact=True).endswith(", all as in the golden model")
