"""Controller that loads tables: that it is proven, and faults that the proof finds."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "mesh x=2 y=2 data_width=8 buffer_depth=2 tables=loaded"


@pytest.mark.parametrize(
    "words", [SMALL, slow("ring n=5 data_width=8 routing=updown tables=loaded")]
)
def test_a_controller_is_proven(words):
    assert outcomes(words, "controller") == {"swaps": (PROVEN, ""), "words": (PROVEN, "")}


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
