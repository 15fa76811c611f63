"""Links: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit stays in the crossbar, and is mixed with the next.
        ("router_output_local", "gate_1 <= 11'd0;", "", "crossing"),
        # A flit at the gate is lost while the node does not take the one before.
        ("router", "if (node_interface_i_ready[0]) eject_valid", "eject_valid", "crossing"),
    ],
)
def test_a_flit_that_leaves_otherwise_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)
