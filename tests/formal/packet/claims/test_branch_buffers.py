"""Buffers where packets branch: that they are proven, and faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import changing_module, router_outcomes
from knotwork.formal import FAILED, PROVEN

NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
INPUT = "router_digit0_level1_input_digit1_vc0"
READER, BRANCH = f"{INPUT}_reader", f"{INPUT}_branch"


def test_a_buffer_where_packets_branch_is_proven():
    found = router_outcomes(NET, only=["branches", "order_digit1_vc0"])
    assert found == dict.fromkeys(found, (PROVEN, ""))
    assert {"grants", "buffer_digit1_vc0"} <= found.keys()


@pytest.mark.parametrize(
    "fault",
    [
        # The buffer frees a broadcast once one branch is through.
        (READER, r"last & ~\|rest;", "last;"),
        *map(
            slow,
            [
                # A branch sends its packet again and again.
                (READER, r"rest = wanted & .*;", "rest = wanted;"),
                # A branch takes the flit that is shown, whether or not it is next.
                (READER, r"= wanted & here & ", "= wanted & "),
                # The node gets no copy.
                (BRANCH, r"select = 2'b11;", "select = 2'b10;"),
            ],
        ),
    ],
)
def test_a_fault_of_a_branching_buffer_is_found(fault):
    found = router_outcomes(NET, only=["buffer_digit1_vc0"], break_it=changing_module(*fault))
    result, reason = found["buffer_digit1_vc0"]
    assert result == FAILED
    assert reason.startswith(("counterexample: ", "it rests on "))
