"""A packet as a scoreboard knows it."""

from knotwork_sim.scoreboard.sent_packet import Kind, SentPacket


def test_a_packet_has_the_data_of_its_flits():
    contents = (5).to_bytes(8, "little") + (1 << 60).to_bytes(8, "little")
    packet = SentPacket(0, 1, (2,), Kind.REQUEST, contents=contents, flits=2, cycle=None)
    assert [packet.data(0), packet.data(1)] == [5, 1 << 60]
    assert packet.user == 0
