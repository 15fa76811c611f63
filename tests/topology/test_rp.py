"""Section 6 of the specification."""

import numpy as np
import pytest
from knotwork import Rp
from knotwork.topology import metrics
from knotwork.topology.layouts.stars import STAR

# Petersen graphs, diameter, links.
TABLE = [(4, 4, 100), (16, 10, 400), (24, 14, 600), (36, 20, 900), (64, 34, 1600), (100, 52, 2500)]


@pytest.mark.parametrize(("k", "diameter", "links"), TABLE)
def test_the_table_of_the_specification(k, diameter, links):
    rp = Rp(k=k)
    assert rp.nodes == 10 * k
    assert rp.diameter == diameter == k // 2 + 2
    assert metrics.link_counts(rp.neighbours) == (links, links)
    assert metrics.degrees(rp.neighbours) == (5, 5)
    assert rp.bisection_bounds == (20, 20)


def test_equal_places_are_joined_in_a_ring():
    rp = Rp(k=5)
    assert rp.neighbours[43, 4:].tolist() == [33, 3]
    assert rp.label(43) == "4.aa0bbb"
    assert rp.address(43) == 4 << 4 | 3


def test_rings_of_two_have_double_links_and_of_one_none():
    assert metrics.link_counts(Rp(k=2).neighbours) == (50, 40)
    assert metrics.link_counts(Rp(k=1).neighbours) == (15, 15)
    assert Rp(k=1).label(0) == "0.0000aa"


@pytest.mark.parametrize("k", [2, 6, 8, 16])
def test_petersen_graphs_are_drawn_in_a_ring(k):
    middles = Rp(k=k).layout().reshape(k, 10, 2).mean(axis=1)
    steps = np.sort(np.abs(middles - np.roll(middles, 1, axis=0)), axis=1)
    assert steps == pytest.approx(np.array([[0, STAR]] * k))  # level or upright, all alike
