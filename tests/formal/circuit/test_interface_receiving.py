"""Packets that a PE's interface receives: a fault that the proofs find."""

from helpers.proven import sees

SMALL = "lcan d=2 u=1 levels=2 data_width=8 max_packet=2"


def test_an_acknowledge_without_room_is_found():
    assert sees(SMALL, "interface", "level <= 3'b010", "level <= 3'b011", "ejection")
