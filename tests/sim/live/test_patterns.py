import numpy as np
import pytest
from knotwork.network import Network
from knotwork_sim.live.patterns import pattern_choices
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.patterns.registry import make_law


def shares_of(choices, nodes, pattern, node):
    """Share with which each node is drawn, by drawing at every boundary of the table."""
    begin, end = choices.first[pattern * nodes + node :][:2]
    widths = np.diff(choices.end[begin:end], prepend=-1)
    return np.bincount(choices.destination[begin:end], widths / 2**32, minlength=nodes)


@pytest.mark.parametrize("word", ["hypercube:n=3", "mesh:x=3,y=2", "torus:x=4,y=3", "ccc:n=3"])
def test_the_shares_are_those_of_simulated_traffic(word):
    topology = Network.from_word(word).topology
    choices = pattern_choices(topology)
    assert choices.names[0] == "uniform"
    for pattern, name in enumerate(choices.names):
        law = make_law(topology, Traffic(traffic=name), np.random.default_rng(0))
        for node in range(topology.nodes):
            told = law.shares(node)
            expected = np.bincount(told.destinations, told.shares, minlength=topology.nodes)
            found = shares_of(choices, topology.nodes, pattern, node)
            assert np.allclose(found, expected, atol=1e-9)


def test_patterns_that_a_network_does_not_have_are_left_out():
    names = {word: pattern_choices(Network.from_word(word).topology).names for word in WORDS}
    assert "tornado" not in names["hypercube:n=3"]
    assert "tornado" in names["torus:x=4,y=3"]
    assert "shuffle" in names["hypercube:n=3"]
    assert "shuffle" not in names["torus:x=4,y=3"]


WORDS = ("hypercube:n=3", "torus:x=4,y=3")
