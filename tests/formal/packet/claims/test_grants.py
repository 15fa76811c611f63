"""Grants of packet routers: faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds

OUTPUT = "router_output_local"
ARBITER = f"{OUTPUT}_arbiter_vc0"


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A channel is given on before the tail of its packet.
        slow(ARBITER, "| (taken & tail)", "| taken", "ownership"),
        # Its last owner may have it again, though nothing waits there.
        slow(ARBITER, "request & ~owns", "request | ~owns", "ownership"),
        # An output shows a flit that its owner does not have.
        slow(
            OUTPUT,
            "granted = {owns[1] & present[1], owns[0] & present[0]};",
            "granted = owns;",
            "crossing",
        ),
        # An output shows the flit of the other input.
        slow(
            "router",
            "i_valid = |output_local_granted;",
            "i_valid = output_local_granted[0];",
            "crossing",
        ),
        # It has an owner and is free.
        (ARBITER, "hold <= |asks;", "hold <= chosen[0];", "grants"),
    ],
)
def test_a_fault_of_registered_grants_is_found(module, before, after, breaks):
    words = "hypercube n=1 data_width=8 buffer_depth=2 pipeline=2"
    assert finds(words, before, after, breaks, module=module)
