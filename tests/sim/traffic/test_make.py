import numpy as np
import pytest
from knotwork import Network
from knotwork.routing import routings_of
from knotwork.routing.scheduling.rounds import schedule
from knotwork.topology import TOPOLOGIES
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import PACKET_MAKERS, make_packets

RANDOM = Traffic(traffic="permutation", permutation="random", packets=8)


def test_every_way_in_which_packets_arrive_has_its_maker():
    routings = [routing for name in TOPOLOGIES for routing in routings_of(name).values()]
    assert {routing.arrivals for routing in routings} == PACKET_MAKERS.keys()


@pytest.mark.parametrize(
    ("word", "arrivals"),
    [
        ("hypercube:n=3", "any_time"),
        ("hypercube:n=3,routing=lc1", "batches"),
        ("lcan:d=2,u=2,levels=3", "any_time"),
        ("lcan:d=2,u=2,levels=3,routing=scheduled", "rounds"),
    ],
)
def test_packets_are_made_as_the_routing_takes_them(word, arrivals):
    network = Network.from_word(word)
    assert network.routing.arrivals == arrivals
    packets, expected = make_packets(network, RANDOM), PACKET_MAKERS[arrivals](network, RANDOM)
    for name in ("source", "destination", "length", "time", "user"):
        assert (getattr(packets, name) == getattr(expected, name)).all()


def test_rounds_go_before_the_pattern():
    network = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")
    destinations = np.roll(np.arange(8), 3)
    rounds = schedule(network.topology, np.arange(8), destinations)
    packets = make_packets(network, Traffic(), rounds=rounds)
    assert packets.destination.tolist() == destinations.tolist()
