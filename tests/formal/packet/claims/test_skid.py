"""Faults of the buffer between a router and its node that the proofs find."""

import pytest
from helpers.proven import finds


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The beat that waits is lost, or comes again.
        ("full <= o_valid & ~o_ready;", "full <= 1'b0;"),
        ("full <= o_valid & ~o_ready;", "full <= o_valid;"),
        # It is another one.
        ("o_payload = full ? kept : i_payload;", "o_payload = i_payload;"),
    ],
)
@pytest.mark.parametrize(
    ("net", "router"),
    [
        ("wk w=2 levels=2", "router_digit0_level1"),
        ("hypercube n=2 pipeline=2", "router"),
        ("hypercube n=2 pipeline=2 multicast=yes", "router"),
    ],
)
def test_a_beat_that_does_not_wait_is_found(net, router, before, after):
    words, module = f"{net} data_width=8 buffer_depth=4", f"{router}_node_interface_skid"
    assert finds(words, before, after, "ejection", module=module)
