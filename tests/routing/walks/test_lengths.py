from itertools import product

import numpy as np
import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.compiled.compilable import compilable
from knotwork.routing.walks.lengths import WalkLengths, summary, walk_lengths
from knotwork.topology import metrics


@pytest.mark.parametrize(
    "network",
    [
        Network(Hypercube(n=4)),
        Network(Moebius(n=5, twist=1)),
        Network(Ring(nodes=7), routing=RingRouting),
        Network(Ring(nodes=7), routing=CyclicRingRouting),
    ],
    ids=lambda network: network.name,
)
def test_lengths_are_those_of_the_paths(network):
    lengths = walk_lengths(network.routing)
    nodes = network.topology.nodes
    assert lengths.shape == (nodes, nodes)
    for a, b in product(range(nodes), repeat=2):
        assert lengths[a, b] == len(network.routing.path(a, b)) - 1


def test_a_rule_that_never_arrives_is_refused():
    class Lost(CyclicRingRouting):
        name = "lost"

        @property
        def rule(self):
            return never

    with pytest.raises(ConfigurationError) as refusal:
        walk_lengths(Lost(Ring(nodes=6)))
    assert str(refusal.value) == (
        "loop: routing=lost must bring a packet from 0 to 0, not round in a loop by port next of "
        "router 2"
    )


@compilable
def never(parameters, router, port, channel_class, destination):
    return 1, 0


def test_summary_of_a_ring_by_hand():
    # One way round six nodes: 1 to 5 hops, of which 4 and 5 are more than the other way.
    topology = Ring(nodes=6)
    lengths = Network(topology, routing=CyclicRingRouting).routing.walk_lengths()
    expected = WalkLengths(mean=3.0, max=5, nonminimal=12)
    assert summary(lengths, metrics.distances(topology.neighbours)) == expected


def test_summary_of_a_single_node():
    one = np.zeros((1, 1), int)
    assert summary(one, one) == WalkLengths(mean=0.0, max=0, nonminimal=0)
