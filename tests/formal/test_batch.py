"""Proofs of routers of batches, their controller and small networks."""

import pytest
from helpers.cases import slow
from helpers.proven import outcomes, sees
from knotwork import Network
from knotwork.formal import PROVEN
from knotwork.formal.batch.ccc import CycleExpectation
from knotwork.formal.batch.hypercube import DimensionExpectation

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


@pytest.mark.fault
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "ccc n=3 routing=lc2 data_width=8",
        "ccc n=4 routing=lc2 data_width=8 words=3",
        "ccc n=4 routing=lc2 control=entry data_width=8",
        "ccc n=4 routing=lc2 sequencer=distributed data_width=8 words=3",
        "hypercube n=1 routing=lc1 data_width=8",
        "hypercube n=3 routing=lc1",
        "hypercube n=3 routing=lc1 sequencer=distributed",
        "hypercube n=4 routing=lc1 data_width=8 words=2",
    ],
)
def test_a_controller_is_proven(words):
    assert outcomes(words, "controller") == {"batches": (PROVEN, "")}


def test_a_controller_that_starts_without_a_table_is_found():
    words = "ccc n=2 routing=lc2 data_width=8"
    assert sees(words, "controller", "configured & ~comes", "~comes", "batches")


def test_a_table_that_is_taken_in_a_batch_is_found():
    words = "ccc n=2 routing=lc2 sequencer=distributed data_width=8"
    before, after = "s_axis_config_tready = ~running", "s_axis_config_tready = 1'b1"
    assert sees(words, "controller", before, after, "batches")


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_batch_has_the_steps_of_the_routing_of_hypercube(n):
    network = Network.from_word(f"hypercube:n={n},routing=lc1")
    expected = DimensionExpectation(network)
    assert expected.steps == network.routing.steps == len(expected.schedules())


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_batch_has_the_steps_of_the_routing_of_ccc(n):
    network = Network.from_word(f"ccc:n={n},routing=lc2")
    expected = CycleExpectation(network)
    assert expected.steps == network.routing.steps == len(expected.schedules())


def test_shift_registers_advance_in_the_steps_of_the_routing():
    network = Network.from_word("ccc:n=4,routing=lc2")
    highest = 1 << len(CycleExpectation(network).schedules()[0]) - 1
    shifts = [
        s for s, told in enumerate(CycleExpectation(network).schedules()) if told.value & highest
    ]
    assert shifts == list(network.routing.shift_steps) == list(range(3, 11))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        SMALL,
        f"{SMALL} control=entry",
        f"{SMALL} sequencer=distributed",
        "ccc n=3 routing=lc2 data_width=8",
        "hypercube n=3 routing=lc1 data_width=8",
        "hypercube n=3 routing=lc1 sequencer=distributed data_width=8",
    ],
)
def test_a_packet_is_at_one_node_after_every_step(words):
    assert outcomes(words, "") == {"one_packet": (PROVEN, "")}


def test_an_exchange_that_only_one_end_makes_is_found():
    # Every router of place 0 takes the packet, whether its neighbour requests the exchange or not.
    assert sees(SMALL, "", "= request & i_L_request ? ", "= request ? ", "one_packet")
