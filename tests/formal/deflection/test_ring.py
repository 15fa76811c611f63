"""Bufferless routers of rings: that they are proven."""

from helpers.proven import router_outcomes
from knotwork.formal import PROVEN

RING = "torus x=4 y=4 directions=one router=deflection data_width=8"


def test_a_ring_router_is_proven():
    found = router_outcomes(RING)
    names = ["injection", "passes", "streams", "turning"]
    assert found == dict.fromkeys(names, (PROVEN, ""))
