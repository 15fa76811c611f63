"""Packets that are copied: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "wk w=2 levels=2 data_width=8 buffer_depth=4 pipeline=2"
ROUTER = "router_digit0_level1"


@pytest.mark.slow
def test_a_copy_that_does_not_begin_at_the_head_is_found():
    module = f"{ROUTER}_input_digit0_buffer_queue_vc1"
    assert finds(NET, "rewinds ? base : behind", "behind", "queues", module=module)


@pytest.mark.slow
def test_a_copy_with_the_flits_of_another_packet_is_found():
    before, after = "free = leaves & ~again", "free = leaves"
    module = f"{ROUTER}_input_digit0_buffer_queue_vc1"
    assert finds(NET, before, after, "queues", module=module)
