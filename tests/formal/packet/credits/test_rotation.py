"""Which channel is shown next: a fault that the proofs find."""

from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


def test_a_channel_that_keeps_the_front_after_a_tail_is_found():
    before, after = "eligible & follows & ~(last & other)", "eligible & follows"
    assert finds(NET, before, after, "rotation", module="router_input_dim0")
