import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.run import run_log
from knotwork_sim.model.tally import Tally
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


def test_a_tally_has_a_count_a_channel_and_a_packet():
    network = Network.from_word("torus:x=3,y=3")
    tally = Tally.of(network, 7)
    assert len(tally.crossings) == 9 * 5 * network.routing.virtual_channels
    assert len(tally.hops) == 7
    assert [len(column) for column in Tally.empty()] == [0, 0, 1, 0]


def test_crossings_beyond_the_room_are_counted_and_not_kept():
    tally = Tally.of(Network.from_word("ring:n=3"), 2, room=3)
    tally.note_all(5, np.array([7, 8]), np.array([0, 1]), 0)
    tally.note_all(6, np.array([9, 10]), np.array([0, 1]), np.array([1, 2]))
    assert tally.noted[0] == 4
    assert tally.events.tolist() == [[5, 7, 0, 0], [5, 8, 1, 0], [6, 9, 0, 1]]


@pytest.mark.parametrize("length", [1, 3])
def test_a_lone_packet_is_counted_along_its_path(length):
    network = Network.from_word("torus:x=4,y=4")
    traffic = Traffic(packets=1, length=(length, length), seed=5)
    packets = make_packets(network, traffic)
    run = run_log(network, traffic, packets, counts=True)
    hops = network.routing.hops(int(packets.source[0]), int(packets.destination[0]))
    shape = (*network.topology.neighbours.shape, network.routing.virtual_channels)
    counts = run.tally.crossings.reshape(shape).sum(axis=2)
    taken = {(hop.router, hop.port) for hop in hops}
    assert set(zip(*counts.nonzero(), strict=True)) == taken
    assert set(counts[counts > 0]) == {length}
    assert run.tally.hops[0] == len(taken) - 1
    assert run.injected[0] == packets.time[0]
