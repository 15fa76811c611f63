"""Claims about every bufferless router: a fault that the proofs find."""

from helpers.proven import finds

RING = "torus x=4 y=4 directions=one router=deflection data_width=8"


def test_a_lost_packet_is_found():
    # The node's register takes a packet though its last one is still there.
    before, after = "assign eject_room = ", "assign eject_room = 1'h1 | "
    assert finds(RING, before, after, "passes")
