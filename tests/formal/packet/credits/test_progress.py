"""Waits for an output: that the bound is one, and a fault that the proof finds."""

from dataclasses import replace

import pytest
from helpers.proven import changing, largest_router
from knotwork.formal import FAILED, prove_router, router_properties

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
def test_an_order_that_a_tail_does_not_change_is_found():
    """Without `grants`, from which the bound follows by itself."""
    network, kind, verilog = largest_router(NET)
    module = "router_output_local_arbiter"
    verilog = changing("first_0_1 <= goes_on;", "first_0_1 <= 1'b1;", module)(verilog)
    (one,) = (one for one in router_properties(network, kind) if one.name == "progress")
    (found,) = prove_router(network, kind, verilog, [replace(one, lemmas=())])
    assert found.result == FAILED
    assert found.reason.startswith("counterexample: progress.py:")
