"""Routers of batches: that they are proven, and faults that the proofs find."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "ccc n=2 routing=lc2 data_width=8"
OTHER = f"{SMALL} sequencer=distributed"
PROPERTIES = ["packet", "steps", "flags", "streams", "assertions"]


@pytest.mark.parametrize("words", [SMALL, slow(OTHER)])
def test_a_router_is_proven(words):
    assert outcomes(words, "router_place0") == dict.fromkeys(PROPERTIES, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("ccc n=3 routing=lc2 data_width=8", 2),
        ("ccc n=4 routing=lc2 data_width=8 words=3", 4),
        ("ccc n=4 routing=lc2 control=entry data_width=8 words=3", 4),
        ("ccc n=4 routing=lc2 control=entry sequencer=distributed data_width=8 words=3", 4),
        ("hypercube n=1 routing=lc1 data_width=8", 0),
        ("hypercube n=1 routing=lc1 sequencer=distributed data_width=8", 0),
        ("hypercube n=3 routing=lc1", 0),
        ("hypercube n=4 routing=lc1 sequencer=distributed data_width=8 words=2", 0),
        ("hypercube n=4 routing=lc1 data_width=8 words=2", 0),
    ],
)
def test_routers_are_proven(words, places):
    for module in [f"router_place{place}" for place in range(places)] or ["router"]:
        assert outcomes(words, module) == dict.fromkeys(PROPERTIES, (PROVEN, ""))


@pytest.mark.parametrize(
    ("words", "before", "after", "breaks"),
    [
        # Places out of order are found where the same place meets itself.
        (SMALL, "own_destination[0] > i_F_message_destination[0]",
         "own_destination[0] >= i_F_message_destination[0]", "steps"),
        # The first period goes forward.
        (SMALL, "takes_ahead ? i_F_message", "control_schedule_second ? i_F_message", "packet"),
        # A packet that was not sorted raises nothing.
        (SMALL, "begins_second & own_destination[0]", "begins_second & own_destination[1]",
         "flags"),
        # Registers shift in their turn; a router goes on counting.
        slow(OTHER, "control_schedule_shifts & ~turn", "~turn", "packet"),
        (OTHER, "going <= running & ~ends", "going <= running", "packet"),
        # A packet comes from elsewhere.
        slow(SMALL, "m_axis_tid = eject_payload_source;", "m_axis_tid = own_destination;",
             "streams"),
    ],
)  # fmt: skip
def test_a_fault_of_a_router_is_found(words, before, after, breaks):
    assert sees(words, "router_place0", before, after, breaks)
