"""Streams of packet routers: faults that the proofs find."""

import pytest
from helpers.proven import finds


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
    words = "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2"
    assert finds(words, before, after, "ejection")
