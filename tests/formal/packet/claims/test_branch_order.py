"""Order of flits where packets branch: faults that the proofs find."""

import pytest
from helpers.proven import changing_module, router_outcomes
from knotwork.formal import FAILED

NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
INPUT = "router_digit0_level1_input_digit1_vc0"


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        # A copy leaves with a label that is not its packet's.
        (f"{INPUT}_branch", r"labels_1 = .*;", "labels_1 = 1'h0;"),
        # A flit is written over that some branch has not read.
        (INPUT, r"i_ready = ~full;", "i_ready = 1'h1;"),
    ],
)
def test_a_flit_that_a_branch_sends_otherwise_is_found(fault):
    found = router_outcomes(NET, only=["order_digit1_vc0"], break_it=changing_module(*fault))
    result, reason = found["order_digit1_vc0"]
    assert result == FAILED
    assert reason.startswith(("counterexample: ", "it rests on "))
