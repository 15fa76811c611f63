"""Packets that a node sends into its router: a fault that the proofs find."""

from helpers.proven import changing_module, router_outcomes
from knotwork.formal import FAILED

NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
INJECTOR = "router_digit0_level1_node_interface_injector"


def test_a_broadcast_that_is_too_long_and_not_forgotten_is_found():
    fault = changing_module(INJECTOR, r"o_cancel = .*;", "o_cancel = 2'h0;")
    found = router_outcomes(NET, only=["injection"], break_it=fault)
    result, reason = found["injection"]
    assert result == FAILED
    assert reason.startswith("counterexample: ")
