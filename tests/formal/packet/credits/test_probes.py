"""What a router with credits shows a monitor: its proof, and faults that it finds."""

import pytest
from helpers.cases import slow
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN

NET = "hypercube n=1 data_width=8 buffer_depth=2 virtual_channels=2 pipeline=2 watchdog=16"
ESCAPES = "routing=spr vc_scheme=escape data_width=8 buffer_depth=2 pipeline=2 watchdog=9"


@pytest.mark.parametrize(
    "words",
    [
        NET,
        slow("mesh x=2 y=2 data_width=8 buffer_depth=2 pipeline=3 counters=yes"),
        slow("mesh x=2 y=1 data_width=40 buffer_depth=2 pipeline=2 parity=yes counters=yes"),
        slow(f"moebius n=2 {ESCAPES}"),
        slow("wk w=2 levels=2 data_width=8 buffer_depth=2 pipeline=2 counters=yes"),
    ],
)
def test_what_a_router_shows_is_proven(words):
    found = router_outcomes(words, only={"probes"})
    assert {*found.values()} == {(PROVEN, "")}


@pytest.mark.parametrize("probe", ["flits", slow("waits"), slow("wants")])
def test_a_router_that_shows_nothing_is_found(probe):
    assert finds(NET, f"assign probe_{probe} =", f"assign probe_{probe} = 4'd0 &", "probes")
