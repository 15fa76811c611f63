"""Bufferless routers of networks with phases: that they are proven."""

import pytest
from helpers.proven import router_outcomes
from knotwork.formal import PROVEN


@pytest.mark.slow
@pytest.mark.parametrize("words", ["mesh x=3 y=3 data_width=8", "hypercube n=3 data_width=8"])
def test_a_deflection_router_is_proven(words):
    found = router_outcomes(f"{words} router=deflection")
    names = ["injection", "passes", "streams", "priority"]
    assert found == dict.fromkeys(names, (PROVEN, ""))
