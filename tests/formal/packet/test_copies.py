"""Packets that are copied: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "wk w=2 levels=2 data_width=8 buffer_depth=4 pipeline=2"
ROUTER = "router_digit0_level1"


@pytest.mark.slow
def test_a_copy_that_does_not_begin_at_the_head_is_found():
    module = f"{ROUTER}.input_digit0.buffer.queue_vc1"
    assert finds(NET, "rewinds ? base : behind", "behind", "queues", module=module)


@pytest.mark.slow
def test_a_copy_with_the_flits_of_another_packet_is_found():
    before, after = "free = leaves & ~again", "free = leaves"
    module = f"{ROUTER}.input_digit0.buffer.queue_vc1"
    assert finds(NET, before, after, "queues", module=module)


INPUT = "router_digit0_level1.input_digit1"


@pytest.mark.slow
def test_a_copy_with_the_label_that_came_is_found():
    before, after = "labels_1 = flit_broadcast ? address[1] :", "labels_1 = 1'b0 ? 1'b0 :"
    assert finds(NET, before, after, "order_digit1_vc0", module=f"{INPUT}.buffer")


@pytest.mark.slow
def test_a_tail_without_one_of_its_copies_is_found():
    before = "(select_vc0[1] & ~i_broadcast) | i_broadcast"
    assert finds(NET, before, f"{before} & ~i_last", "order_digit1_vc0", module=f"{INPUT}.buffer")
