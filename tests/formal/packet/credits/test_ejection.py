"""The stream to the node: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The node is shown the new beat while the last one waits.
        ("assign o_payload = full ? kept : i_payload;", "assign o_payload = i_payload;"),
        # A beat that was not taken is not kept.
        ("full <= o_valid & ~o_ready;", "full <= i_valid & ~o_ready;"),
    ],
)
def test_a_beat_that_the_node_does_not_get_is_found(before, after):
    assert finds(NET, before, after, "ejection", module="router_node_interface_skid")
