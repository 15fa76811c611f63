"""Tables loaded in service: what is proven, and faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, outcomes, router_outcomes, sees
from knotwork.formal import PROVEN

SMALL = "mesh x=2 y=2 data_width=8 buffer_depth=2 tables=loaded"


@pytest.mark.parametrize(
    "words", [SMALL, slow("ring n=5 data_width=8 routing=updown tables=loaded")]
)
def test_a_controller_is_proven(words):
    assert outcomes(words, "controller") == {"swaps": (PROVEN, ""), "words": (PROVEN, "")}


@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        # Routers swap though one of them is not idle.
        ("empty <= reports[0] & ", "empty <= ", "swaps"),
        # Routers swap by what they told before nodes were held.
        slow("rests = held & empty", "rests = control_hold & empty", "swaps"),
        # Routers swap while a flit may be between two of them.
        ("assign ends = rests & rested;", "assign ends = rests;", "swaps"),
        # A word is taken while the network drains.
        ("config_tready = ~control_hold", "config_tready = 1'b1", "words"),
        # A lost packet of the first router is not told of.
        slow("status_kept[2] <= reports[1] | ", "status_kept[2] <= ", "words"),
    ],
)  # fmt: skip
def test_a_fault_of_a_controller_is_found(before, after, name):
    assert sees(SMALL, "controller", before, after, name)


@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        *map(
            slow,
            [
                "mesh x=3 y=3 tables=loaded",
                "mesh x=3 y=3 data_width=8 buffer_depth=4 tables=loaded virtual_channels=2",
                "mesh x=2 y=2 data_width=8 buffer_depth=4 tables=loaded pipeline=3 parity=yes",
                "moebius n=3 routing=spr data_width=8 tables=loaded",
                "ring n=4 routing=shortest nodes_per_router=2 data_width=8 tables=loaded",
            ],
        ),
    ],
)
def test_a_router_is_proven(words):
    outcomes = router_outcomes(words)
    assert outcomes == dict.fromkeys(("idle", "swap", "lost", "closed"), (PROVEN, ""))


@pytest.mark.fault
@pytest.mark.parametrize(
    ("module", "before", "after", "name"),
    [
        # A node that holds the rest of a packet counts as idle.
        ("gate", "assign idle = ~in_packet & ~waits;", "assign idle = ~waits;", "idle"),
        # A packet may begin while nodes are held.
        slow("gate", "passes = in_packet | waits | ~hold", "passes = 1'b1", "idle"),
        # Words reach the bank that is in force.
        slow("route_R_vc0", "write_address = {~bank, ", "write_address = {bank, ", "swap"),
        # A link that is declared dead dies only with the next swap.
        ("", "dead_links <= dead_links | named;", "dead_links <= dead_links;", "swap"),
        # A dead link still carries flits.
        ("", "= output_R_taken & ~sender_R_dead", "= output_R_taken", "lost"),
        # A report that waits is overwritten by the next one.
        slow("sender_R", "dead ? ~(lost | dropped_0) : o_up", "dead ? ~dropped_0 : o_up", "lost"),
        # A packet that had begun is reported twice.
        slow("sender_R", "i_flit_last & ~sending", "i_flit_last", "lost"),
        # A packet that had begun stays open.
        ("receiver_R", "assign closes = dead & ", "assign closes = 1'b0 & ", "closed"),
        # A dead link gives credits, also for the place that its last flits took.
        ("receiver_R", "i_credit = ~dead & o_credit", "i_credit = o_credit", "closed"),
    ],
)  # fmt: skip
def test_a_fault_of_a_router_is_found(module, before, after, name):
    assert finds(SMALL, before, after, name, module=module and f"router_R_D.{module}")
