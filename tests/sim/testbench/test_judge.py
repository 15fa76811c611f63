"""What a judge makes of packets, beats and refusals, in the order of a simulation."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard import Mismatch
from knotwork_sim.testbench.headers import to_address, to_node
from knotwork_sim.testbench.judge import Judge

MESH = Network.from_word("mesh:x=3,y=2")  # the addresses 6 and 7 are no node


@pytest.fixture
def judge():
    return Judge(MESH, driven=[0, 1])


def test_a_packet_of_a_driven_node_is_expected_from_its_sending_on(judge):
    sent = judge.expect_packet(to_node(MESH, 0, 2, [5, 6]))
    judge.note_packet(to_node(MESH, 0, 2, [5, 6]))  # the watcher sees it enter
    judge.note_beat(TakenBeat(7, 2, 0, 0, 0, 5))
    assert not judge.arrived[2]
    judge.note_beat(TakenBeat(8, 2, 0, 1, 0, 6))
    (arrival,) = judge.arrived[2]
    assert (arrival.packet, arrival.data, arrival.cycle) == (sent, (5, 6), 8)
    assert judge.scoreboard.is_complete


def test_a_packet_of_the_design_is_expected_once_it_has_entered(judge):
    judge.note_packet(to_node(MESH, 4, 2, [5]))
    judge.note_beat(TakenBeat(7, 2, MESH.topology.address(4), 1, 0, 5))
    assert dict(judge.scoreboard.pairs) == {(4, 2): 1}


def test_what_was_not_sent_is_a_mismatch(judge):
    with pytest.raises(Mismatch):
        judge.note_beat(TakenBeat(7, 2, 0, 1, 0, 5))


def test_refusals_are_those_of_packets_that_cannot_go(judge):
    judge.expect_packet(to_address(MESH, 1, MESH.topology.unused_addresses[0], [1]))
    judge.note_refusal(1, 5)
    with pytest.raises(Mismatch):
        judge.note_refusal(1, 6)


def test_a_reset_forgets_everything(judge):
    judge.expect_packet(to_node(MESH, 0, 2, [5, 6]))
    judge.note_beat(TakenBeat(7, 2, 0, 0, 0, 5))
    judge.forget()
    assert judge.scoreboard.is_complete
    judge.expect_packet(to_node(MESH, 0, 2, [6]))
    judge.note_beat(TakenBeat(1, 2, 0, 1, 0, 6))
    assert judge.arrived[2][0].data == (6,)
