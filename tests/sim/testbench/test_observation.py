"""What an observation counts."""

from knotwork_sim.testbench.observation import Observation, OfferedPacket
from knotwork_sim.traffic.packets import NEVER


def test_it_begins_empty_and_counts_cycles():
    seen = Observation.of(3)
    assert (seen.sent, seen.cycles) == ([[], [], []], 0)
    seen.ready += [0b111, 0b101]
    assert seen.cycles == 2


def test_a_packet_has_not_entered_before_its_first_beat_is_taken():
    packet = OfferedPacket(0, 1, 0)
    assert (packet.injected, packet.whole) == (NEVER, False)
