"""Routers of batches: that they are proven, and faults that the proofs find."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "ccc n=2 routing=lc2 data_width=8"
PROPERTIES = ["packet", "steps", "flags", "streams", "assertions"]


def test_a_router_is_proven():
    assert outcomes(SMALL, "router_place0") == dict.fromkeys(PROPERTIES, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ("ccc n=3 routing=lc2 data_width=8", ["router_place0", "router_place1"]),
        (
            "ccc n=4 routing=lc2 data_width=8 words=3",
            [f"router_place{place}" for place in range(4)],
        ),
        ("hypercube n=3 routing=lc1", ["router"]),
        ("hypercube n=4 routing=lc1 data_width=8 words=2", ["router"]),
    ],
)
def test_routers_are_proven(words, modules):
    for module in modules:
        assert outcomes(words, module) == dict.fromkeys(PROPERTIES, (PROVEN, ""))


# Places out of order are found where the same place meets itself; the first period goes forward;
# a packet that was not sorted raises nothing.
@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("own[8] > i__0__message[8]", "own[8] >= i__0__message[8]", "steps"),
        ("control[11] ? i__0__message", "control[9] ? i__0__message", "packet"),
        ("control[10] & own[8]", "control[10] & own[9]", "flags"),
    ],
)
def test_a_fault_of_a_router_is_found(before, after, breaks):
    assert sees(SMALL, "router_place0", before, after, breaks)


@pytest.mark.slow
def test_a_packet_that_comes_from_elsewhere_is_found():
    fault = ("is_wrong, header[3:2]", "is_wrong, header[1:0]", "streams")
    assert sees(SMALL, "router_place0", *fault)
