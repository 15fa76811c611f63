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


INPUT = "router_digit0_level1_input_digit1"


@pytest.mark.slow
def test_a_copy_with_the_label_that_came_is_found():
    before, after = "flit_broadcast ? label_vc0_labels_1 :", "1'b0 ? 1'b0 :"
    assert finds(NET, before, after, "order_digit1_vc0", module=f"{INPUT}_buffer")


@pytest.mark.slow
def test_a_tail_without_one_of_its_copies_is_found():
    before = "branch_vc0_select[1] & i_broadcast"
    assert finds(NET, before, f"{before} & ~i_last", "order_digit1_vc0", module=f"{INPUT}_buffer")
