"""Buffers of packet routers: faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign i_ready = ~full;", "assign i_ready = 1'h1;", "buffers"),
        slow("full ? back : i_payload;", "full ? i_payload : back;", "order_local_vc0"),
    ],
)
def test_a_fault_of_a_packet_router_is_found(before, after, breaks):
    words, buffer = "mesh x=2 y=2 data_width=8 buffer_depth=2", "router_R_D_input_local_vc0_buffer"
    assert finds(words, before, after, breaks, module=buffer)
