"""Packets in queues: a fault that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
def test_a_packet_that_holds_its_channel_after_its_tail_is_found():
    before, after = "holds[0] <= ~last;", "holds[0] <= 1'b1;"
    assert finds(NET, before, after, "packets_dim0", module="router_input_dim0")


def test_an_input_that_forgets_where_packets_end_is_found():
    """It tells of a packet whose flits come to the front as they arrive whether it is under way."""
    before, after = "under_way[0] <= ~i_last;", "under_way[0] <= 1'b1;"
    assert finds(NET, before, after, "packets_dim0", module="router_input_dim0")
