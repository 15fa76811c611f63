"""Faults of the buffer between a router and its node that the proofs find."""

from itertools import product, starmap

import pytest
from helpers.cases import slow
from helpers.proven import finds

LOST = ("full <= o_valid & ~o_ready;", "full <= 1'b0;")
AGAIN = ("full <= o_valid & ~o_ready;", "full <= o_valid;")
OTHER = ("o_payload = full ? kept : i_payload;", "o_payload = i_payload;")
WK, PLAIN = ("wk w=2 levels=2", "router_digit0_level1"), ("hypercube n=2 pipeline=2", "router")
UNIT = ("hypercube n=2 pipeline=2 multicast=yes", "router")


@pytest.mark.parametrize(
    ("net", "fault"),
    [
        (PLAIN, AGAIN),
        *starmap(slow, product((WK, UNIT), (LOST, AGAIN, OTHER))),
        *starmap(slow, product([PLAIN], (LOST, OTHER))),
    ],
)
def test_a_beat_that_does_not_wait_is_found(net, fault):
    """It is lost, comes again, or is another one."""
    words, router = net
    module = f"{router}_node_interface_skid"
    assert finds(f"{words} data_width=8 buffer_depth=4", *fault, "ejection", module=module)
