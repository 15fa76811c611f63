import numpy as np
import pytest
from knotwork.network import Network
from knotwork.topology import TOPOLOGIES
from knotwork_sim.search.figures import channel_numbers, figures
from knotwork_sim.search.graphs import circulant
from knotwork_sim.search.improve import EVERYWHERE
from knotwork_sim.sweep.channel_load import channel_load
from knotwork_sim.traffic.keys import Traffic


def hoffman_singleton():
    """Pentagons P0..P4 and pentagrams Q0..Q4: router j of Ph meets h i + j of Qi."""
    links = set()
    for h in range(5):
        for j in range(5):
            links |= {(5 * h + j, 5 * h + (j + 1) % 5)}
            links |= {(25 + 5 * h + j, 25 + 5 * h + (j + 2) % 5)}
            links |= {(5 * h + j, 25 + 5 * i + (h * i + j) % 5) for i in range(5)}
    near = [[] for _ in range(50)]
    for one, other in links:
        near[one].append(other)
        near[other].append(one)
    return np.array(near, np.int32)


def test_hoffman_and_singletons_graph_has_the_moore_bound():
    found = figures(hoffman_singleton(), EVERYWHERE)
    assert (found.nodes, found.links, found.degree_min, found.degree_max) == (50, 175, 7, 7)
    assert found.diameter == 2
    assert found.average_distance == pytest.approx(91 / 49)
    assert found.fullest_channel == pytest.approx(91 / 49 / 7)  # its links are all alike


@pytest.mark.parametrize(
    "words", ["hypercube:n=4", "torus:x=4,y=3", "torus:x=2,y=2", "petersen", "ccc:n=4"]
)
def test_figures_are_those_that_the_networks_tell(words):
    topology = Network.from_words([words]).topology
    found = figures(topology.neighbours, EVERYWHERE, topology.peer_ports)
    assert found.diameter == topology.diameter
    assert found.average_distance == pytest.approx(topology.average_distance)


@pytest.mark.parametrize("words", ["wk:w=2,levels=4", "rp:k=1"])
def test_loads_are_those_of_a_routing_with_one_shortest_path(words):
    network = Network.from_words([words])
    topology = network.topology
    shares = channel_load(network, Traffic())
    found = figures(topology.neighbours, EVERYWHERE, topology.peer_ports)
    assert max(found.fullest_channel, 1.0) == pytest.approx(shares.largest)


def test_parallel_links_have_channels_of_their_own():
    torus = TOPOLOGIES["torus"](x=2, y=2)
    numbers = channel_numbers(torus.neighbours, torus.peer_ports)[torus.neighbours >= 0]
    assert len(set(numbers)) == len({number ^ 1 for number in numbers} & set(numbers)) == 16
    assert figures(torus.neighbours, EVERYWHERE, torus.peer_ports).fullest_channel == (
        pytest.approx(1 / 3)
    )


def test_a_node_that_sends_or_receives_much_limits_the_throughput():
    rates = np.zeros((4, 4))
    rates[0, 1] = 4.0
    assert figures(circulant(4, (1, 2)), rates).ideal_throughput == 0.25
    rates = np.zeros((4, 4))
    rates[1:, 0] = 4 / 3
    assert figures(circulant(4, (1, 2)), rates).ideal_throughput == 0.25


def test_a_graph_in_parts_has_no_figures():
    with pytest.raises(ValueError, match=r"^the graph must be connected, not in parts$"):
        figures(np.array([[1], [0], [3], [2]]), EVERYWHERE)
