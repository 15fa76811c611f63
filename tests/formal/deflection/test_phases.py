"""Bufferless routers of networks with phases: that they are proven, and faults found."""

import pytest
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN


@pytest.mark.slow
@pytest.mark.parametrize("words", ["mesh x=3 y=3 data_width=8", "hypercube n=3 data_width=8"])
def test_a_deflection_router_is_proven(words):
    found = router_outcomes(f"{words} router=deflection")
    names = ["injection", "passes", "streams", "marks", "priority"]
    assert found == dict.fromkeys(names, (PROVEN, ""))


def test_a_packet_that_loses_to_others_though_it_is_first_is_found():
    # The others keep their wishes.
    before, after = "assign eager = ", "assign eager = 2'd3 | "
    assert finds("hypercube n=2 data_width=8 router=deflection", before, after, "priority")


def test_a_wrong_mark_is_found():
    before, after = "assign marks = ", "assign marks = 2'd1 ^ "
    assert finds("hypercube n=2 data_width=8 router=deflection", before, after, "marks")
