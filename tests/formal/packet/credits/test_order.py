"""Order of flits: a fault that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
def test_a_channel_that_shows_the_flit_of_another_is_found():
    before, after = "read_addr = {shown[1],", "read_addr = {1'b0,"
    assert finds(NET, before, after, "order_dim0_vc1", module="router_input_dim0_buffer")
