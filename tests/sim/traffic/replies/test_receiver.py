import numpy as np
from knotwork import Hypercube, Network
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.replies.receiver import Receiver

CUBE = Network(Hypercube(n=3))


def test_a_request_is_told_by_its_source_and_first_beat_when_it_ends():
    traffic = Traffic(traffic="replay", replay=[(0, 1, 2, 3), (0, 1, 3), (0, 2, 3)], reply=(1, 1))
    packets = make_packets(CUBE, traffic)
    flow = {
        (int(packets.destination[p]), int(packets.source[p])): int(packets.replies.flow[p])
        for p in np.flatnonzero(packets.replies.flow >= 0)
    }
    receiver = Receiver.of(CUBE, packets)
    assert receiver.is_needed
    assert receiver.take(2, 1, 6, last=False) == -1
    assert receiver.take(3, 1, 8, last=True) == flow[3, 1]  # nodes do not disturb each other
    assert receiver.take(2, 1, 7, last=False) == -1  # a later beat may have any bit
    assert receiver.take(2, 1, 7, last=True) == flow[2, 1]
    assert receiver.take(3, 2, 9, last=True) == -1  # a reply
    assert receiver.take(3, 2, 8, last=True) == flow[3, 2]
    assert receiver.take(5, 2, 8, last=True) == -1  # nobody sends there


def test_without_replies_there_is_nothing_to_receive():
    assert not Receiver.of(CUBE, make_packets(CUBE, Traffic(packets=3))).is_needed
