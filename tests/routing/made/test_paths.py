"""Links of the paths of all pairs, and their loads, against paths in Python."""

import numpy as np
from knotwork import Moebius, Network
from knotwork.routing.made.paths import all_paths, link_load

ROUTING = Network(Moebius(n=4)).routing


def links_of(source, destination):
    ports = len(ROUTING.topology.ports)
    return [hop.router * ports + hop.port for hop in ROUTING.hops(source, destination)[:-1]]


def test_paths_are_those_of_the_rule():
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    paths = all_paths(ROUTING)
    assert [path[path >= 0].tolist() for path in paths] == [links_of(*pair) for pair in pairs]


def test_load_counts_the_flits_of_all_pairs():
    flits = np.random.default_rng(1).random((16, 16))
    expected = np.zeros(ROUTING.topology.neighbours.size)
    for a in range(16):
        for b in range(16):
            for link in links_of(a, b) if a != b else ():
                expected[link] += flits[a, b]
    assert np.allclose(link_load(ROUTING, flits), expected)
    same = link_load(ROUTING, np.full((1, 1), 2.0))
    assert same.sum() == 2 * (all_paths(ROUTING) >= 0).sum()
