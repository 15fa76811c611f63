"""A node's side of packet routers: faults that the proofs find."""

from itertools import product, starmap

import pytest
from helpers.cases import slow
from helpers.faults import changing_module
from helpers.proven import finds, router_outcomes
from knotwork.formal import FAILED, PROVEN

LOST = ("full <= o_valid & ~o_ready;", "full <= 1'b0;")
AGAIN = ("full <= o_valid & ~o_ready;", "full <= o_valid;")
OTHER = ("o_payload = full ? kept : i_payload;", "o_payload = i_payload;")
WK, PLAIN = ("wk w=2 levels=2", "router_digit0_level1"), ("hypercube n=2 pipeline=2", "router")
UNIT = ("hypercube n=2 pipeline=2 multicast=yes", "router")


@pytest.mark.fault
@pytest.mark.parametrize(
    ("net", "fault"),
    [
        (PLAIN, AGAIN),
        *starmap(slow, product((WK, UNIT), (LOST, AGAIN, OTHER))),
        *starmap(slow, product([PLAIN], (LOST, OTHER))),
    ],
)
def test_a_beat_that_does_not_wait_is_found(net, fault):
    """It is lost, comes again, or is another one."""
    words, router = net
    module = f"{router}.node_interface.skid"
    assert finds(f"{words} data_width=8 buffer_depth=4", *fault, "ejection", module=module)


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
    words = "mesh x=2 y=2 data_width=8 buffer_depth=2 virtual_channels=2"
    assert finds(words, before, after, "ejection")


NET = "hypercube n=2 multicast=yes data_width=8 buffer_depth=4 pipeline=2"


@pytest.mark.slow
def test_what_enters_and_what_the_node_gets_is_proven():
    found = router_outcomes(NET, only=["injection", "ejection"])
    assert found == dict.fromkeys(["injection", "ejection"], (PROVEN, ""))


@pytest.mark.slow
def test_a_router_with_a_multicast_unit_is_proven():
    found = router_outcomes(NET)
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "breaks"),
    [
        # Another packet may enter by a virtual channel before a tail.
        (
            "router.node_interface.inject_0",
            "hold <= ~(taken & tail);",
            "hold <= 1'b0;",
            "injection",
        ),
        # The node gets the beats of several packets mixed.
        slow(
            "router.node_interface.eject", "hold <= ~(taken & tail);", "hold <= 1'b0;", "ejection"
        ),
        # A flit goes to a store that its packet before has just filled.
        slow("router", "~(eject_valid[1] & output_local_flit_last)", "1'b1", "crossing"),
        # A beat is lost while a store delivers.
        slow(
            "router.node_interface",
            "direct_ready = eject_grant[0] & eject_ready;",
            "direct_ready = eject_ready;",
            "ejection",
        ),
    ],
)
def test_a_fault_of_a_unit_is_found(module, before, after, breaks):
    assert finds(NET, before, after, breaks, module=module)


INJECTION_NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
INJECTOR = "router_digit0_level1.node_interface.injector"


def test_a_broadcast_that_is_too_long_and_not_forgotten_is_found():
    fault = changing_module(INJECTOR, r"o_cancel = .*;", "o_cancel = 2'h0;")
    found = router_outcomes(INJECTION_NET, only=["injection"], break_it=fault)
    result, reason = found["injection"]
    assert result == FAILED
    assert reason.startswith("counterexample: ")


DRAWING = (
    *("mesh x=2 y=2 routing=o1turn", "hypercube n=2 routing=valiant"),
    *("hypercube n=2 routing=romm", "mesh x=3 y=2 routing=romm"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", DRAWING)
def test_a_router_whose_nodes_draw_is_proven(words):
    found = router_outcomes(f"{words} data_width=8 buffer_depth=4")
    assert found == dict.fromkeys(found, (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A node draws while its flit waits: those of a packet have several numbers.
        ("(i_valid & i_ready & i_payload_last) generator", "(i_valid & i_payload_last) generator"),
        # It draws by the address of another node.
        slow("generator ^ {8{address}} ^", "generator ^ {8{~address}} ^"),
    ],
)
def test_a_number_that_is_not_drawn_is_found(before, after):
    words = f"{DRAWING[1]} data_width=8 buffer_depth=2"
    assert finds(words, before, after, "injection", module="injector")
