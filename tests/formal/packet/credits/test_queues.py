"""Queues and credits: faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A credit returns though no flit left.
        slow("router_input_dim0", "left <= buffer_leaves;", "left <= {2{granted}};", "queues"),
        # The last credit is spent twice.
        (
            "router_credits_dim0_vc0",
            "taken ? after_two : room_2 | credit;",
            "after_two | room_2 | credit;",
            "credits",
        ),
    ],
)
def test_a_fault_of_credits_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)
