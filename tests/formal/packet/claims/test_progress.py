"""Progress of flits in packet routers: faults that the proofs find."""

import pytest
from helpers.proven import finds


@pytest.mark.slow
def test_a_round_that_always_begins_with_the_same_is_found():
    # With two requesters it could not matter: one whose tail leaves is not asked again.
    words = "mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=2"
    arbiter = "router_R_D_output_local_arbiter_vc0"
    assert finds(words, "if (hold) last <= owns;", "", "progress", module=arbiter)
