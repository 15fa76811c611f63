"""Buffers of packet routers: faults that the proofs find."""

import pytest
from helpers.proven import finds


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("assign i_ready = ~full;", "assign i_ready = 1'h1;", "buffers"),
        ("? back : i_payload;", "? i_payload : back;", "order_local_vc0"),
    ],
)
def test_a_fault_of_a_packet_router_is_found(before, after, breaks):
    assert finds("mesh x=2 y=2 data_width=8 buffer_depth=2", before, after, breaks)
