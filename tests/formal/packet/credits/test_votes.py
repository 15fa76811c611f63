"""Copies of entries: a fault that the proofs find."""

from helpers.proven import finds

NET = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 parity=yes"


def test_a_bit_that_is_read_of_one_copy_is_found():
    before = "(read_data[0] & read_data[1]) | (read_data[0] & read_data[2]) | "
    before += "(read_data[1] & read_data[2])"
    assert finds(NET, before, "read_data[0]", "votes", module="router_input_dim0_buffer")
