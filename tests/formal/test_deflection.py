"""Proofs of bufferless routers of both variants."""

import pytest
from helpers.proven import finds, router_outcomes
from knotwork.formal import PROVEN

RING = "torus x=4 y=4 directions=one router=deflection data_width=8"


def test_a_lost_packet_is_found():
    # The node's register takes a packet though its last one is still there.
    before, after = "assign eject_room = ", "assign eject_room = 1'h1 | "
    assert finds(RING, before, after, "passes")


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


def test_a_ring_router_is_proven():
    found = router_outcomes(RING)
    names = ["injection", "passes", "streams", "turning"]
    assert found == dict.fromkeys(names, (PROVEN, ""))
