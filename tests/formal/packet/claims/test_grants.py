"""Grants of packet routers: faults that the proofs find."""

import pytest
from helpers.proven import finds

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        # A channel is given on before the tail of its packet.
        ("= taken & tail;", "= taken;", "ownership"),
        # Its last owner may have it again, though nothing waits there.
        pytest.param("asks = request & ", "asks = request | ", "ownership", marks=SLOW),
        # An output shows a flit that its owner does not have.
        pytest.param("granted = owns & present;", "granted = owns;", "crossing", marks=SLOW),
        # An output shows the flit of the other input.
        pytest.param(
            "i_valid(|output_local_granted)",
            "i_valid(output_local_granted[0])",
            "crossing",
            marks=SLOW,
        ),
        # It has an owner and is free.
        ("| asks;", "| chosen[0:0];", "grants"),
    ],
)
def test_a_fault_of_registered_grants_is_found(before, after, breaks):
    assert finds("hypercube n=1 data_width=8 buffer_depth=2 pipeline=2", before, after, breaks)
