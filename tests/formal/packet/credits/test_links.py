"""Links: faults that the proofs find."""

import pytest
from helpers.proven import finds

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
STAGED = "hypercube n=1 data_width=8 buffer_depth=8 pipeline=3 virtual_channels=2"


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit crosses in a cycle in which its input has another one.
        ("router_output_dim0", "crosses <= granted;", "crosses <= granted & ~crosses;", "crossing"),
        # The register before the crossbar keeps its flit.
        ("router_input_local", "crossing_flit <= flit;", "if (!granted) crossing_flit <= flit;",
         "crossing"),
        # The link says a cycle too early that it has the flit.
        ("router_credits_dim0_vc0", "sent <= taken_before;", "sent <= taken;", "crossing"),
    ],
)  # fmt: skip
def test_so_is_one_that_crosses_otherwise_in_a_cycle_of_its_own(module, before, after, breaks):
    assert finds(STAGED, before, after, breaks, module=module)
