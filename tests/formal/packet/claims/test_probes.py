"""What a router shows to a monitor: its proof, and faults that it finds."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN

NET = "hypercube n=1 data_width=8 buffer_depth=2 watchdog=16 pipeline=1"


@pytest.mark.parametrize(
    "words",
    [
        NET,
        slow("wk w=3 levels=2 data_width=8 buffer_depth=4 max_packet=1 pipeline=1 counters=yes"),
    ],
)
def test_what_a_router_shows_is_proven(words):
    found = router_outcomes(words, only={"probes"})
    assert {*found.values()} == {(PROVEN, "")}


@pytest.mark.parametrize(
    ("probe", "after"),
    [
        ("flits", "4'd0"),
        slow("waits", "4'd0"),
        slow("wants", "4'd0"),
    ],
)
def test_a_router_that_shows_nothing_is_found(probe, after):
    assert finds(NET, f"assign probe_{probe} =", f"assign probe_{probe} = {after} &", "probes")
