from itertools import pairwise

import numpy as np
import pytest
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork import Hypercube, Moebius, Network
from knotwork.routing.walks.all_pairs import first_hops, walk_all

NETWORKS = [
    Network(Hypercube(n=4)),
    Network(Moebius(n=4)),
    Network(Moebius(n=5, twist=1)),
    Network(Ring(nodes=6), routing=RingRouting),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_first_hops_are_those_of_the_paths(network):
    table = first_hops(network.routing)
    nodes = network.topology.nodes
    assert table.shape == (nodes, nodes)
    for a in range(nodes):
        for b in range(nodes):
            assert table[a, b] == (-1 if a == b else network.routing.path(a, b)[1])


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
    marks = walk_all(routing, routing.router_groups).dependencies
    assert set(zip(*(column.tolist() for column in np.nonzero(marks)), strict=True)) == expected


def test_a_rule_that_names_a_port_without_a_link_is_refused():
    class Ring5(Ring):
        """A ring that was cut between its last router and its first."""

        @property
        def neighbours(self):
            cut = Ring(nodes=self.nodes).neighbours.copy()
            cut[-1, 1] = cut[0, 2] = -1
            return cut

    routing = CyclicRingRouting(Ring5(nodes=5))
    with pytest.raises(ValueError) as refusal:
        walk_all(routing, routing.router_groups)
    assert str(refusal.value) == (
        "loop: routing=one_way: at router 4, for a packet to 0 from its node, the port must have a "
        "link, not be next, which router 4 has not"
    )
