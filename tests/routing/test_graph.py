"""Routings of a graph that a user gives: made ones."""

from itertools import pairwise

import pytest
from knotwork import Graph, GraphFile, Network
from knotwork.routing.graph import ROUTINGS

PRISM = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
ONE_WAY = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 0)]


@pytest.mark.parametrize("routing", [routing.name for routing in ROUTINGS])
@pytest.mark.parametrize(("links", "directed"), [(PRISM, False), (ONE_WAY, True)])
def test_every_pair_has_a_way_without_deadlock(routing, links, directed):
    network = Network(Graph(file=GraphFile.of(links, directed=directed)), routing=routing)
    assert network.deadlock_report.deadlock_free
    known = {*links} if directed else {*links, *(link[::-1] for link in links)}
    nodes = range(network.topology.nodes)
    for source in nodes:
        for destination in nodes:
            path = network.routing.path(source, destination)
            assert (path[0], path[-1]) == (source, destination)
            assert set(pairwise(path)) <= known
