"""Buffers of packet routers: the order of their pointers."""

from itertools import pairwise

import pytest
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN
from knotwork.formal.packet.channels import pointer_order


@pytest.mark.parametrize("depth", range(2, 70))
def test_every_word_is_used_once_per_round(depth):
    order = pointer_order(depth)
    assert order[0] == 0
    assert sorted(order) == list(range(depth))


@pytest.mark.parametrize("depth", [3, 6, 12])
def test_a_depth_that_is_no_power_of_two_is_counted(depth):
    assert pointer_order(depth) == list(range(depth))


def test_a_power_of_two_goes_by_a_shift_register():
    order = pointer_order(16)
    shifted = [later >> 1 == earlier & 7 for earlier, later in pairwise(order)]
    assert all(shifted)
    assert order != list(range(16))


NET = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 parity=yes"


@pytest.mark.slow
def test_packets_stay_whole_whatever_bits_are_wrong():
    found = router_outcomes(NET, only=["order_dim1_vc0"])
    assert found == dict.fromkeys(["injection", "queues", "order_dim1_vc0"], (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit goes where its own header says, not where its packet's first did.
        ("router.input_dim1.buffer", "in_packet_vc0 ? first_outputs_vc0 :", "", "queues"),
        # A packet whose header is broken goes on.
        slow("router.input_dim1.buffer", "broken ? 2'b01 :", "1'b0 ? 2'b01 :", "queues"),
        # Of a tail, one mark counts.
        slow(
            "router",
            "(dim1_i_flit_last & dim1_i_flit_last_copies[0]) | (dim1_i_flit_last & "
            "dim1_i_flit_last_copies[1]) | (dim1_i_flit_last_copies[0] & "
            "dim1_i_flit_last_copies[1]),",
            "dim1_i_flit_last,",
            "order_dim1_vc0",
        ),
    ],
)
def test_a_packet_that_wrong_bits_break_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A packet for another node is not told to be wrong.
        ("router", " | (output_local_flit_destination != address),", ",", "ejection"),
        # Only the wrong beat is marked.
        slow(
            "router.node_interface.marker",
            "marked <= o_payload_flags & ~o_payload_last;",
            "marked <= 1'b0;",
            "ejection",
        ),
        # The mark stays for the next packet.
        slow(
            "router.node_interface.marker",
            "marked <= o_payload_flags & ~o_payload_last;",
            "marked <= o_payload_flags;",
            "ejection",
        ),
    ],
)
def test_a_packet_that_is_not_marked_as_it_must_be_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


SMALL = "data_width=8 buffer_depth=4 pipeline=2 parity=yes"
COPIES = f"wk w=2 levels=2 max_packet=4 {SMALL}"
ESCAPES = f"moebius n=2 routing=spr vc_scheme=escape {SMALL}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "proven"),
    [(COPIES, "order_local_vc0"), (COPIES, "votes"), (ESCAPES, "packets_dim0")],
)
def test_copies_and_escapes_stay_whole_too(net, proven):
    found = router_outcomes(net, only=[proven])
    assert proven in found
    assert set(found.values()) == {(PROVEN, "")}


@pytest.mark.fault
@pytest.mark.parametrize(
    ("net", "module", "before", "after", "breaks"),
    [
        # A copy's label changes, and the parity of its header does not. Only a copy that leaves its
        # cluster gets another label: one that comes by digit 0 keeps its own.
        slow(
            COPIES,
            "router_digit0_level1",
            "input_digit1_flit_header_parity ^ input_digit1_turned[1],",
            "input_digit1_flit_header_parity,",
            "crossing",
        ),
        # A packet whose header is broken asks for its way and its escape.
        slow(
            ESCAPES,
            "router.input_dim0.buffer",
            "first_outputs_vc0 : broken ?",
            "first_outputs_vc0 : 1'b0 ?",
            "queues",
        ),
    ],
)
def test_a_copy_or_an_escape_that_wrong_bits_break_is_found(net, module, before, after, breaks):
    assert finds(net, before, after, breaks, module=module)
