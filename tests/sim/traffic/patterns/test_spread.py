"""Shares that laws tell, against what they draw; the draws themselves are in test_registry."""

import numpy as np
import pytest
from knotwork.topology import Moebius, Torus
from knotwork_sim.traffic.patterns.spread import Hotspot, Neighbour, Uniform

MANY = 60_000


@pytest.mark.parametrize("law", [Uniform, Hotspot, Neighbour])
@pytest.mark.parametrize("topology", [Moebius(n=3, twist=1), Torus(x=2, y=3)])
def test_shares_are_those_that_are_drawn(law, topology):
    made = law(topology)
    for node in (0, 4):
        destinations, shares = made.shares(node)
        expected = np.zeros(topology.nodes)
        np.add.at(expected, destinations, shares)
        drawn = made.draw(np.random.default_rng(1), np.full(MANY, node))
        counts = np.bincount(drawn, minlength=topology.nodes)
        assert expected.sum() == pytest.approx(1)
        assert (counts[expected == 0] == 0).all()
        margin = 5 * (MANY * expected * (1 - expected)) ** 0.5
        assert (np.abs(counts - MANY * expected) <= margin).all()


def test_pairs_are_those_with_traffic():
    assert Uniform(Moebius(n=3, twist=0)).pairs == 64
    assert Neighbour(Moebius(n=3, twist=0)).pairs == 24
