"""Routers of batches: that they are proven, and faults that the proofs find."""

import pytest
from helpers.proven import outcomes, sees
from knotwork.formal import PROVEN

SMALL = "ccc n=2 routing=lc2 data_width=8"
OTHER = f"{SMALL} control=shift sequencer=distributed"
PROPERTIES = ["packet", "steps", "flags", "streams", "assertions"]


@pytest.mark.parametrize("words", [SMALL, OTHER])
def test_a_router_is_proven(words):
    assert outcomes(words, "router_place0") == dict.fromkeys(PROPERTIES, (PROVEN, ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ("ccc n=3 routing=lc2 data_width=8", ["router_place0", "router_place1"]),
        (
            "ccc n=4 routing=lc2 data_width=8 words=3",
            [f"router_place{place}" for place in range(4)],
        ),
        (
            "ccc n=4 routing=lc2 control=shift data_width=8 words=3",
            [f"router_place{place}" for place in range(4)],
        ),
        (
            "ccc n=4 routing=lc2 control=shift sequencer=distributed data_width=8 words=3",
            [f"router_place{place}" for place in range(4)],
        ),
        ("hypercube n=1 routing=lc1 data_width=8", ["router"]),
        ("hypercube n=1 routing=lc1 sequencer=distributed data_width=8", ["router"]),
        ("hypercube n=3 routing=lc1", ["router"]),
        ("hypercube n=4 routing=lc1 sequencer=distributed data_width=8 words=2", ["router"]),
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
        (
            "own_destination[0] > i_0_message_destination[0]",
            "own_destination[0] >= i_0_message_destination[0]",
            "steps",
        ),
        ("takes_ahead ? i_0_message", "control_schedule_second ? i_0_message", "packet"),
        ("begins_second & own_destination[0]", "begins_second & own_destination[1]", "flags"),
    ],
)
def test_a_fault_of_a_router_is_found(before, after, breaks):
    assert sees(SMALL, "router_place0", before, after, breaks)


def test_registers_that_shift_in_their_turn_are_found():
    assert sees(OTHER, "router_place0", "control_schedule_shifts & ~turn", "~turn", "packet")


def test_a_router_that_goes_on_counting_is_found():
    assert sees(OTHER, "router_place0", "going <= running & ~ends", "going <= running", "packet")


@pytest.mark.slow
def test_a_packet_that_comes_from_elsewhere_is_found():
    fault = ("m_axis_tid = eject_payload_source;", "m_axis_tid = own_destination;", "streams")
    assert sees(SMALL, "router_place0", *fault)
