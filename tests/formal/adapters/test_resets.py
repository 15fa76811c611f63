"""Resets that two clocks share are proven for any edges and resets; faults of them are found."""

import pytest
from helpers.proven import component_outcomes
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.adapters import ADAPTER_PROOFS

LINK, RELEASE = ADAPTER_PROOFS["link_resets"], ADAPTER_PROOFS["reset_release"]


def test_resets_of_a_link_are_proven_without_a_bound():
    names = ["handshake", "at_once", "meet", "cause", "ends"]
    assert component_outcomes(LINK()) == dict.fromkeys(names, (PROVEN, ""))


def test_a_reset_from_a_pin_is_proven_without_a_bound():
    assert component_outcomes(RELEASE()) == {"release": (PROVEN, "")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("proofs", "before", "after", "name"),
    [
        # A reset that one side does not see; one that begins at an edge.
        (LINK, "left_rst | right_rst", "right_rst", "at_once"),
        (LINK, "left_rst | right_rst", "left_rst", "at_once"),
        (LINK, "right_clk or posedge asked_rst)", "right_clk)", "at_once"),
        # Sides that meet for three cycles; a request before the last answer is over; a side that
        # leaves while it waits; a count that starts half over; one that never leaves.
        (LINK, "cycles == 3'b100", "cycles == 3'b011", "handshake"),
        (LINK, "(request_cdc_request | ~answer_cdc_answered)", "1'b1", "meet"),
        (LINK, "waits | request_cdc_seen | ", "request_cdc_seen | ", "handshake"),
        (LINK, "cycles <= cycles - 3'b001", "cycles <= 3'b000", "handshake"),
        (LINK, "in_reset <= waits |", "in_reset <= 1'b1 |", "ends"),
        # A reset that ends half of a handshake, whose other side goes on.
        (LINK, "answer_cdc_answer <= met", "answer_cdc_answer <= met & ~left_rst", "handshake"),
        (RELEASE, "left_clk or posedge asked)", "left_clk)", "release"),
        (RELEASE, "stage0 <= 1'b0", "stage0 <= stage0", "release"),
    ],
)
def test_a_fault_is_found(proofs, before, after, name):
    result, reason = component_outcomes(proofs(), before, after)[name]
    assert result == FAILED
    assert reason.startswith("counterexample")
