"""Proofs of queues and of packets that leave as copies."""

import pytest
from helpers.cases import slow
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A credit returns though no flit left.
        slow("router.input_dim0", "left <= buffer_leaves;", "left <= {2{granted}};", "queues"),
        # The last credit is spent twice.
        (
            "router.credits_dim0_vc0",
            "taken ? after_two : room | credit;",
            "after_two | room | credit;",
            "credits",
        ),
    ],
)
def test_a_fault_of_credits_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


@pytest.mark.fault
@pytest.mark.slow
def test_a_packet_that_holds_its_channel_after_its_tail_is_found():
    before, after = "holds[0] <= ~last;", "holds[0] <= 1'b1;"
    assert finds(NET, before, after, "packets_dim0", module="router.input_dim0")


def test_an_input_that_forgets_where_packets_end_is_found():
    """It tells of a packet whose flits come to the front as they arrive whether it is under way."""
    before, after = "under_way[0] <= ~i_last;", "under_way[0] <= 1'b1;"
    assert finds(NET, before, after, "packets_dim0", module="router.input_dim0")


@pytest.mark.fault
@pytest.mark.slow
def test_a_channel_that_shows_the_flit_of_another_is_found():
    before, after = "ram_read_address = { front_vc[1],", "ram_read_address = {1'b0,"
    assert finds(NET, before, after, "order_dim0_vc1", module="router.input_dim0.buffer")


WK = "wk w=2 levels=2 data_width=8 buffer_depth=4 pipeline=2"
ROUTER = "router_digit0_level1"


@pytest.mark.fault
@pytest.mark.slow
def test_a_copy_that_does_not_begin_at_the_head_is_found():
    module = f"{ROUTER}.input_digit0.buffer.queue_vc1"
    assert finds(WK, "rewinds ? base : behind", "behind", "queues", module=module)


@pytest.mark.fault
@pytest.mark.slow
def test_a_copy_with_the_flits_of_another_packet_is_found():
    before, after = "free = leaves & ~repeats", "free = leaves"
    module = f"{ROUTER}.input_digit0.buffer.queue_vc1"
    assert finds(WK, before, after, "queues", module=module)


INPUT = "router_digit0_level1.input_digit1"


@pytest.mark.fault
@pytest.mark.slow
def test_a_copy_with_the_label_that_came_is_found():
    before, after = "labels_1 = flit_broadcast ? address[1] :", "labels_1 = 1'b0 ? 1'b0 :"
    assert finds(WK, before, after, "order_digit1_vc0", module=f"{INPUT}.buffer")


@pytest.mark.fault
@pytest.mark.slow
def test_a_tail_without_one_of_its_copies_is_found():
    before = "(select_vc0[1] & ~i_broadcast) | i_broadcast"
    assert finds(WK, before, f"{before} & ~i_last", "order_digit1_vc0", module=f"{INPUT}.buffer")
