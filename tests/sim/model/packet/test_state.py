"""Arrays of the compiled loops: none may be too small, as they check no bounds."""

import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork_sim.model.packet.allocation import make_registers
from knotwork_sim.model.packet.state import make_scratch, make_state

KEYS = {"routing": RingRouting, "virtual_channels": 4, "buffer_depth": 5}
NETWORK = Network(Ring(nodes=6), **KEYS)
CREDITS = Network(Ring(nodes=6), **KEYS, pipeline=2)


def test_state_is_as_large_as_the_network():
    state = make_state(NETWORK)
    assert state.flits.shape == (6 * 3 * 4, 5)
    router, slot = np.divmod(np.arange(6 * 3 * 4), 3 * 4)
    assert state.inputs["router"].tolist() == router.tolist()
    assert state.inputs["slot"].tolist() == slot.tolist()
    assert state.inputs["base"].tolist() == (12 * router).tolist()
    assert len(state.fronts) == 2  # of 72 bits


def test_scratch_has_lists_for_every_flit_of_a_cycle():
    scratch = make_scratch(NETWORK)
    assert len(scratch.requested) == 6 * 3 * 4
    assert len(scratch.arrivals) == 6 * 3  # one flit per input port
    assert len(scratch.departures) >= 6 * 3
    assert len(scratch.entering) == 6


def test_registers_have_lists_for_every_link():
    made = make_registers(CREDITS, make_state(CREDITS))
    assert made.credits.tolist() == [5] * (6 * 3 * 4)
    assert np.issubdtype(made.credits.dtype, np.signedinteger)
    assert made.places.tolist() == [[0, 1, 2, 3]] * (6 * 3)
    assert made.flights.shape == (2, 6 * 3)
    assert made.returning.shape == (2, 6 * 3 + 1)


@pytest.mark.parametrize(
    ("pipeline", "depth", "credits"),
    [(2, 4, [8, 4, 32]), (2, 10, [10, 10, 32]), (3, 16, [16, 16, 33])],
)
def test_long_links_have_credits_for_a_round(pipeline, depth, credits):
    """Credits are used 2 L + 2 cycles after a flit's grant: so many flits fill a link."""
    links, hardware = [(0, 1, 3), (1, 2), (2, 0, 15)], {"pipeline": pipeline, "buffer_depth": depth}
    network = network_of(links, directed=True, **hardware)
    made = make_registers(network, make_state(network))
    channels = 3, 2, network.virtual_channels
    assert made.credits.reshape(channels)[:, 1, 0].tolist() == credits
    assert made.latency.reshape(channels)[:, 1, 0].tolist() == [15, 3, 1]
    # A cycle of the crossbar makes the flights longer.
    assert len(made.flying) == len(made.credited) == 15 + pipeline - 1
