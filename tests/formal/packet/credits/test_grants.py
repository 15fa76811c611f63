"""Grants: faults that the proofs find."""

import pytest
from helpers.proven import finds

ONE = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
TWO = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
LONE = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2"
OUTPUT, LINK = "router_output_local", "router_output_dim0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "module", "before", "after"),
    [
        # After a tail the input stays first.
        (TWO, f"{LINK}_arbiter", "(grant[0] & ~last[0])", "(grant[0] & last[0])"),
        # After a packet the input stays first.
        (ONE, f"{OUTPUT}_arbiter", "first_0_1 <= goes_on;", "first_0_1 <= 1'b1;"),
        # An output idles because the first who asks cannot go.
        (TWO, f"{LINK}_arbiter", "first_0_1 & able[0]", "first_0_1"),
    ],
)
def test_a_fault_of_grants_is_found(words, module, before, after):
    assert finds(words, before, after, "grants", module=module)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "module", "before", "after"),
    [
        # A channel is given on before the tail of its packet.
        (ONE, LINK, "if (taken[0]) busy[0] <= goes_on;", "busy[0] <= goes_on;"),
        # A head is granted a channel that a packet holds.
        (ONE, "router_output_local", "room & (~busy | held[1]), channel", "room, channel"),
        # A packet under way is not first.
        (LONE, f"{LINK}_arbiter", "first_0_1 <= goes_on;", "first_0_1 <= ~goes_on;"),
        # Two that ask for the only channel are both granted it.
        (LONE, f"{LINK}_arbiter", "able[1] & ~(request[0] & first_0_1)", "able[1]"),
    ],
)
def test_a_fault_of_who_holds_a_channel_is_found(words, module, before, after):
    assert finds(words, before, after, "holders", module=module)
