"""Progress of flits in packet routers: faults that the proofs find."""

import pytest
from helpers.proven import finds


@pytest.mark.slow
def test_a_round_that_always_begins_with_the_same_is_found():
    words = "mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=1"
    arbiter = "router_R_D_output_local_arbiter_vc0"
    assert finds(words, "last <= grant;", "", "progress", module=arbiter)
