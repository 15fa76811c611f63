"""Outputs of routers with credits: faults that the proofs find."""

from dataclasses import replace

import pytest
from helpers.faults import changing
from helpers.proven import finds, largest_router
from knotwork.formal import FAILED, prove_router, router_properties

NET = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"


def test_a_channel_that_keeps_the_front_after_a_tail_is_found():
    before, after = "eligible & follows & ~(last & other)", "eligible & follows"
    assert finds(NET, before, after, "rotation", module="router.input_dim0")


ONE = "hypercube n=1 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
TWO = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2 virtual_channels=2"
LONE = "hypercube n=2 data_width=8 buffer_depth=4 pipeline=2"
OUTPUT, LINK = "router.output_local", "router.output_dim0"


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "module", "before", "after"),
    [
        # After a tail the input stays first.
        (TWO, f"{LINK}.arbiter", "(grant[0] & ~last[0])", "(grant[0] & last[0])"),
        # After a packet the input stays first.
        (ONE, f"{OUTPUT}.arbiter", "grant[0] ? goes_on :", "grant[0] ? 1'b1 :"),
        # An output idles because the first who asks cannot go.
        (TWO, f"{LINK}.arbiter", "first_0_1 & able[0]", "first_0_1"),
    ],
)
def test_a_fault_of_grants_is_found(words, module, before, after):
    assert finds(words, before, after, "grants", module=module)


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "module", "before", "after"),
    [
        # A channel is given on before the tail of its packet.
        (ONE, LINK, "if (taken[0]) busy[0] <= goes_on;", "busy[0] <= goes_on;"),
        # A head is granted a channel that a packet holds.
        (
            ONE,
            "router.output_local",
            "arbiter_able = {room & (~busy | held[1]),",
            "arbiter_able = {room,",
        ),
        # A packet under way is not first.
        (
            LONE,
            f"{LINK}.arbiter",
            "first_0_1 <= grant[0] ? goes_on :",
            "first_0_1 <= grant[0] ? ~goes_on :",
        ),
        # Two that ask for the only channel are both granted it.
        (LONE, f"{LINK}.arbiter", "able[1] & ~(request[0] & first_0_1)", "able[1]"),
    ],
)
def test_a_fault_of_who_holds_a_channel_is_found(words, module, before, after):
    assert finds(words, before, after, "holders", module=module)


STAGED = "hypercube n=1 data_width=8 buffer_depth=8 pipeline=3 virtual_channels=2"


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit stays in the crossbar, and is mixed with the next.
        ("router.output_local", "gate_1 <= 11'd0;", "", "crossing"),
        # A flit at the gate is lost while the node does not take the one before.
        ("router", "if (node_interface_i_ready[0]) eject_valid", "eject_valid", "crossing"),
    ],
)
def test_a_flit_that_leaves_otherwise_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # A flit crosses in a cycle in which its input has another one.
        ("router.output_dim0", "crosses <= granted;", "crosses <= granted & ~crosses;", "crossing"),
        # The register before the crossbar keeps its flit.
        ("router.input_local", "crossing_flit <= flit;", "if (!granted) crossing_flit <= flit;",
         "crossing"),
        # The link says a cycle too early that it has the flit.
        ("router.credits_dim0_vc0", "sent <= taken_before;", "sent <= taken;", "crossing"),
    ],
)  # fmt: skip
def test_so_is_one_that_crosses_otherwise_in_a_cycle_of_its_own(module, before, after, breaks):
    assert finds(STAGED, before, after, breaks, module=module)


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The node is shown the new beat while the last one waits.
        ("assign o_payload = full ? kept : i_payload;", "assign o_payload = i_payload;"),
        # A beat that was not taken is not kept.
        ("full <= o_valid & ~o_ready;", "full <= i_valid & ~o_ready;"),
    ],
)
def test_a_beat_that_the_node_does_not_get_is_found(before, after):
    assert finds(NET, before, after, "ejection", module="router.node_interface.skid")


@pytest.mark.fault
@pytest.mark.slow
def test_an_order_that_a_tail_does_not_change_is_found():
    """Without `grants`, from which the bound follows by itself."""
    network, kind, verilog = largest_router(NET)
    module = "router.output_local.arbiter"
    verilog = changing("grant[0] ? goes_on :", "grant[0] ? 1'b1 :", module)(verilog)
    (one,) = (one for one in router_properties(network, kind) if one.name == "progress")
    (found,) = prove_router(network, kind, verilog, [replace(one, lemmas=())])
    assert found.result == FAILED
    assert found.reason.startswith("counterexample: outputs.py:")
