"""Routers with parity: their proofs, and faults that these find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN

NET = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 parity=yes"


@pytest.mark.slow
def test_packets_stay_whole_whatever_bits_are_wrong():
    found = router_outcomes(NET, only=["order_dim1_vc0"])
    assert found == dict.fromkeys(["injection", "queues", "order_dim1_vc0"], (PROVEN, ""))


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit goes where its own header says, not where its packet's first did.
        ("router_input_dim1_buffer", "in_packet_vc0 ? way_of_first_vc0 :", "", "queues"),
        # A packet whose header is broken goes on.
        slow("router_input_dim1_buffer", "broken ? 2'b01 :", "1'b0 ? 2'b01 :", "queues"),
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


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A packet for another node is not told to be wrong.
        ("router", " | (output_local_flit_destination != address),", ",", "ejection"),
        # Only the wrong beat is marked.
        slow(
            "router_node_interface_marker",
            "marked <= o_payload_flags & ~o_payload_last;",
            "marked <= 1'b0;",
            "ejection",
        ),
        # The mark stays for the next packet.
        slow(
            "router_node_interface_marker",
            "marked <= o_payload_flags & ~o_payload_last;",
            "marked <= o_payload_flags;",
            "ejection",
        ),
    ],
)
def test_a_packet_that_is_not_marked_as_it_must_be_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)
