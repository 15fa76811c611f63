"""Multicast units: that routers with them are proven, and faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN

NET = "hypercube n=2 multicast=yes data_width=8 buffer_depth=4 pipeline=2"


@pytest.mark.slow
def test_what_enters_and_what_the_node_gets_is_proven():
    found = router_outcomes(NET, only=["injection", "ejection"])
    assert found == dict.fromkeys(["injection", "ejection"], (PROVEN, ""))


@pytest.mark.slow
def test_a_router_with_a_multicast_unit_is_proven():
    found = router_outcomes(NET)
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # Another packet may enter by a virtual channel before a tail.
        (
            "router_node_interface_inject_0",
            "hold <= ~(taken & tail);",
            "hold <= 1'b0;",
            "injection",
        ),
        # The node gets the beats of several packets mixed.
        slow(
            "router_node_interface_eject", "hold <= ~(taken & tail);", "hold <= 1'b0;", "ejection"
        ),
        # A flit goes to a store that its packet before has just filled.
        slow("router", "~(eject_valid[1] & output_local_flit_last)", "1'b1", "crossing"),
        # A beat is lost while a store delivers.
        slow(
            "router_node_interface",
            "direct_ready = eject_grant[0] & eject_ready;",
            "direct_ready = eject_ready;",
            "ejection",
        ),
    ],
)
def test_a_fault_of_a_unit_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)
