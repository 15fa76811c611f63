import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.ring import NEXT, PREVIOUS, Ring, RingRouting
from knotwork import Network
from knotwork_sim.model.packet.credits import make_registers
from knotwork_sim.model.packet.state import make_state

NETWORK = Network(
    Ring(nodes=6), routing=RingRouting, virtual_channels=4, buffer_depth=5, pipeline=2
)


def registers():
    return make_registers(NETWORK, make_state(NETWORK))


def test_registers_begin_with_all_credits_and_the_lowest_port_first():
    made = registers()
    assert made.credits.tolist() == [5] * (6 * 3 * 4)
    assert made.places.shape == (6 * 3, 3)
    assert (made.places == [0, 1, 2]).all()


def test_nothing_is_shown_or_on_its_way():
    made = registers()
    assert (made.front == -1).all()
    assert (made.winners == -1).all()
    assert not made.shown.any()
    assert not any(made.counts[0])


def test_a_credit_goes_to_the_output_that_sends_into_the_channel():
    sender = registers().sender.reshape(6, 3, 4)
    assert (sender[:, 0] == -1).all()
    for router in range(6):
        before = (router - 1) % 6 * 3 + NEXT
        after = (router + 1) % 6 * 3 + PREVIOUS
        assert sender[router, PREVIOUS].tolist() == [before * 4 + vc for vc in range(4)]
        assert sender[router, NEXT].tolist() == [after * 4 + vc for vc in range(4)]


def test_lists_have_room_for_every_link():
    made = registers()
    assert made.flights.shape == made.returning.shape == (1, 6 * 3)
    assert np.issubdtype(made.credits.dtype, np.signedinteger)


def test_lists_are_longer_where_the_crossbar_has_its_cycle():
    network = network_of([(0, 1, 3), (1, 2), (2, 0, 15)], directed=True, pipeline=3)
    made = make_registers(network, make_state(network))
    assert len(made.flying) == len(made.credited) == 16
    channels = 3, 2, network.virtual_channels
    assert made.credits.reshape(channels)[:, 1, 0].tolist() == [16, 16, 33]


@pytest.mark.parametrize(("depth", "credits"), [(4, [8, 4, 32]), (10, [10, 10, 32])])
def test_long_links_have_credits_for_a_round(depth, credits):
    """Credits are used 2 L + 2 cycles after a flit's grant: so many flits fill a link."""
    network = network_of([(0, 1, 3), (1, 2), (2, 0, 15)], directed=True, buffer_depth=depth)
    made = make_registers(network, make_state(network))
    channels = 3, 2, network.virtual_channels
    assert made.credits.reshape(channels)[:, 1, 0].tolist() == credits
    assert made.latency.reshape(channels)[:, 1, 0].tolist() == [15, 3, 1]
    assert len(made.flying) == len(made.credited) == 15
