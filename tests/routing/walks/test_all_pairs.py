"""Walks of all pairs: first hops, dependences and lengths."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.walks.all_pairs import WalkLengths, first_hops, summary, walk_lengths
from knotwork.topology import metrics

NETWORKS = [
    *(Network(Hypercube(n=4)), Network(Moebius(n=4, twist=1))),
    *(Network(Moebius(n=4), routing="approx_spr"), Network(Ring(nodes=6), routing=RingRouting)),
]


def test_first_hops_of_a_square_by_hand():
    # e-cube corrects the higher bit first.
    expected = [[-1, 1, 2, 2], [0, -1, 3, 3], [0, 0, -1, 3], [1, 1, 2, -1]]
    assert first_hops(Network(Hypercube(n=2)).routing).tolist() == expected


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_dependencies_are_those_of_the_paths(network):
    routing, topology = network.routing, network.topology
    classes, ports = routing.classes, len(topology.ports)
    expected = set()
    for a in range(topology.nodes):
        for b in range(topology.nodes):
            hops = routing.hops(a, b)[:-1]
            for hold, want in pairwise(hops):
                channel = (hold.router * ports + hold.port) * classes + hold.virtual_channel
                expected.add((channel, want.port, want.virtual_channel))
    marks = routing.walks.dependencies
    assert set(zip(*(column.tolist() for column in np.nonzero(marks)), strict=True)) == expected


def test_a_rule_that_never_arrives_is_refused(refused):
    class Lost(CyclicRingRouting):
        name = "lost"
        rule = staticmethod(lambda *state: (1, 0))

    assert refused(lambda: walk_lengths(Lost(Ring(nodes=6)))) == (
        "loop: routing=lost must bring a packet from 0 to 0, not round in a loop by port next of "
        "router 2"
    )


def test_summary_of_a_ring_by_hand():
    # One way round six nodes: 1 to 5 hops, of which 4 and 5 are more than the other way.
    topology = Ring(nodes=6)
    lengths = Network(topology, routing=CyclicRingRouting).routing.walk_lengths()
    expected = WalkLengths(mean=3.0, max=5, nonminimal=12)
    assert summary(lengths, metrics.distances(topology.neighbours)) == expected
    one = np.zeros((1, 1), int)
    assert summary(one, one) == WalkLengths(mean=0.0, max=0, nonminimal=0)
