"""Branches that wait for each other: a fault that the proofs find."""

import pytest
from helpers.proven import changing_module, router_outcomes
from knotwork.formal import FAILED

NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
READER = "router_digit0_level1_input_digit1_vc0_reader"


@pytest.mark.slow
def test_a_branch_that_is_blocked_and_holds_up_the_others_is_found():
    fault = changing_module(READER, r"\(moved \| ~could\)", "moved")
    found = router_outcomes(NET, only=["sharing_digit1_vc0"], break_it=fault)
    result, reason = found["sharing_digit1_vc0"]
    assert result == FAILED
    assert reason.startswith(("counterexample: ", "it rests on "))
