"""Packets in queues: a fault that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
def test_a_packet_that_holds_its_channel_after_its_tail_is_found():
    before, after = "(shown & {2{~last}})", "(shown & {2{1'b1}})"
    assert finds(NET, before, after, "packets_dim0", module="router_input_dim0")
