import numpy as np
import pytest
from helpers.multicasts import CUBE, multicasts
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork.routing import lane
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import Packets

RING = Network(Ring(nodes=6), routing=RingRouting)


def test_a_flow_starts_in_the_virtual_channel_of_its_lane():
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=6)
    packets = make_packets(network, Traffic(packets=400))
    pairs = zip(packets.source.tolist(), packets.destination.tolist(), strict=True)
    assert packets.virtual_channel.tolist() == [2 * lane(s, d, 3) for s, d in pairs]


def test_a_table_takes_packets_to_no_node():
    source, destination = np.array([0, 0, 5]), np.array([-1, 3, -1])
    packets = packet_table(
        RING, source=source, destination=destination, length=source + 1, time=source, seed=1
    )
    assert isinstance(packets, Packets)
    assert packets.destination.tolist() == [-1, 3, -1]
    assert packets.first_packet.tolist() == [0, 2, 2, 2, 2, 2, 3]


@pytest.mark.parametrize(
    ("chain", "data", "source"),
    [
        ([], 1, 0),
        ([0, 1], 1, 0),
        ([1, 1], 1, 0),
        ([2, 1], 1, 0),
        ([1, 2], 1, 3),  # XOR 3 it is 2, 1
        ([1, 8], 1, 0),
        ([1, 2, 3, 4, 5, 6, 7], 2, 0),
        ([1, 2], 0, 0),
        ([1], 8, 0),
    ],
    ids=["empty", "source", "twice", "falling", "falling xor", "no node", "long", "no data", "big"],
)
def test_wrong_chains_are_refused(chain, data, source):
    packets = multicasts(CUBE, [chain], data=data, source=source)
    assert packets.refused.tolist() == [True]
    assert packets.due.tolist() == [0]
    assert packets.deliveries() == []


def test_right_chains_are_not_refused():
    packets = multicasts(CUBE, [[2, 1], [1], [2, 1, 0, 7, 6, 5, 4]], source=3)
    assert not packets.refused.any()
