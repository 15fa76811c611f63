"""Grants: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
OUTPUT = "router_output_local"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        # After a tail the input stays first.
        (f"{OUTPUT}_arbiter", "(grant[0] & ~last[0])", "(grant[0] & last[0])"),
        # Both inputs are granted.
        (f"{OUTPUT}_arbiter", "request[1] & ~(request[0] & first_0_1)", "request[1]"),
        # A head is granted a channel that a packet holds.
        (OUTPUT, "(~busy | held[0])", "(~busy | held[0] | 1'b1)"),
    ],
)
def test_a_fault_of_grants_is_found(module, before, after):
    assert finds(NET, before, after, "grants", module=module)
