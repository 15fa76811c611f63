import numpy as np
import pytest
from helpers.long_links import network_of
from knotwork.network import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.sweep.zero_load import zero_load_latency
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table


def alone(network, source, destination, length):
    """Clocks that the model takes for a packet that has the network to itself."""
    packets = packet_table(
        network,
        source=np.array([source]),
        destination=np.array([destination]),
        length=np.array([length]),
        time=np.array([0]),
        seed=1,
    )
    return int(run_model(network, Traffic(), packets).clock[-1])


@pytest.mark.parametrize(
    "word",
    ["hypercube:n=3", "moebius:n=3,pipeline=2", "moebius:n=3,routing=spr,pipeline=3",
     "mesh:x=3,y=2,virtual_channels=4", "lcan:d=2,u=2,levels=3",
     "lcan:d=2,u=1,levels=2,interconnect=tree,max_packet=5",
     "banyan:d=2,u=3,levels=2,max_packet=5"],
)  # fmt: skip
@pytest.mark.parametrize("length", [1, 4])
def test_it_is_the_mean_over_packets_sent_one_by_one(word, length):
    network = Network.from_word(word)
    nodes, to = range(network.topology.nodes), network.topology.receivers
    times = [alone(network, a, b, length) for a in nodes for b in to(a) if a != b]
    traffic = Traffic(length=(length, length))
    found = zero_load_latency(network, traffic, channel_load(network, traffic))
    assert found == pytest.approx(np.mean(times), abs=1e-4)


def test_lengths_count_by_their_mean():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    of_range, of_mean = Traffic(length=(1, 7)), Traffic(length=(4, 4))
    load = channel_load(network, of_range)
    assert zero_load_latency(network, of_range, load) == zero_load_latency(network, of_mean, load)


def test_it_is_not_known_where_the_hops_are_not():
    assert zero_load_latency(Network.from_word("hypercube:n=3"), Traffic(), None) is None


@pytest.mark.parametrize("routing", ["updown", "shortest"])
def test_cycles_of_long_links_count(routing):
    links = [(0, 1, 3), (1, 2), (2, 3, 16), (3, 0), (0, 2, 5)]
    network = network_of(links, directed=True, nodes=[1, 2, 0, 1], routing=routing)
    nodes = range(network.topology.nodes)
    times = [alone(network, a, b, 2) for a in nodes for b in nodes if a != b]
    traffic = Traffic(length=(2, 2))
    found = zero_load_latency(network, traffic, channel_load(network, traffic))
    assert found == pytest.approx(np.mean(times), abs=1e-4)
