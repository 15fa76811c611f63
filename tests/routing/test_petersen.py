from itertools import product

import pytest
from knotwork import Network, Petersen
from knotwork.routing import Routing
from knotwork.topology import LOCAL


def test_the_last_hop_is_in_class_1():
    routing = Network(Petersen()).routing
    for source, destination in product(range(10), repeat=2):
        channels = [hop.virtual_channel for hop in routing.hops(source, destination)[:-1]]
        assert channels == [0, 1][2 - len(channels) :]


def test_on_one_virtual_channel_a_ring_of_packets_waits():
    network = Network(Petersen(), virtual_channels=1)
    cycle = network.deadlock_report.cycle
    assert [b for _, b, _ in cycle] == [a for a, _, _ in [*cycle[1:], cycle[0]]]
    # A packet waits for the next link of its way, so two links on end are somebody's whole way.
    for (a, b, _), (_, c, _) in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert network.routing.path(a, c) == [a, b, c]


def test_a_packet_to_its_own_node_stays():
    routing: Routing = Network(Petersen(petersen_code="word")).routing
    assert [hop.port for hop in routing.hops(3, 3)] == [LOCAL]


@pytest.mark.parametrize("virtual_channels", [3, 5])
def test_channels_come_in_pairs(virtual_channels):
    with pytest.raises(ValueError, match="virtual_channels must be a multiple of 2"):
        Network(Petersen(), virtual_channels=virtual_channels)
