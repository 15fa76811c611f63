"""Shares that laws tell, against what they draw; the draws themselves are in test_registry."""

import numpy as np
import pytest
from knotwork.topology import Banyan, Moebius, Torus
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


@pytest.mark.parametrize("law", [Uniform, Hotspot])
def test_shares_of_two_sides_are_those_that_are_drawn(law):
    topology = Banyan(d=2, u=3, levels=2)
    made = law(topology)
    assert made.pairs == 2 * 4 * 9
    for node, others in ((1, range(4, 13)), (7, range(4))):
        destinations, shares = made.shares(node)
        assert destinations.tolist() == list(others)
        assert shares.sum() == pytest.approx(1)
        rest = 0.75 if law is Hotspot else 1
        assert shares[1] == pytest.approx(rest / len(others))
        assert shares[0] == pytest.approx(rest / len(others) + 1 - rest)
        drawn = made.draw(np.random.default_rng(1), np.full(MANY, node))
        counts = np.bincount(drawn, minlength=topology.nodes)[others.start : others.stop]
        margin = 5 * (MANY * shares * (1 - shares)) ** 0.5
        assert (np.abs(counts - MANY * shares) <= margin).all()
        assert counts.sum() == MANY


def test_pairs_are_those_with_traffic():
    assert Uniform(Moebius(n=3, twist=0)).pairs == 64
    assert Neighbour(Moebius(n=3, twist=0)).pairs == 24
