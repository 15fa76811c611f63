import numpy as np
import pytest
from knotwork_sim.search.bounds import bounds, moore_distances

ALIKE = np.zeros((0, 0))


@pytest.mark.parametrize(
    ("nodes", "degree", "diameter", "mean"),
    [
        (10, 3, 2, 5 / 3),  # Petersen's graph
        (50, 7, 2, 13 / 7),  # Hoffman and Singleton's
        (14, 3, 3, 27 / 13),  # Heawood's
        (6, 3, 2, 7 / 5),  # the complete bipartite graph of 3 and 3
        (8, 7, 1, 1.0),
        (5, 2, 2, 1.5),
        (9, 2, 4, 2.5),
        (2, 1, 1, 1.0),
    ],
)
def test_bounds_are_those_of_graphs_that_reach_them(nodes, degree, diameter, mean):
    found = bounds(nodes, degree, ALIKE)
    assert (found.diameter, found.average_distance) == (diameter, pytest.approx(mean))
    assert found.fullest_channel == pytest.approx(mean / degree)


def test_rings_grow_by_the_degree_less_one():
    assert moore_distances(60, 4).tolist() == [1] * 4 + [2] * 12 + [3] * 36 + [4] * 7


def test_rates_bring_the_busiest_pairs_near():
    rates = np.zeros((6, 6))
    rates[0, 1:] = [5, 4, 3, 2, 1]
    assert bounds(6, 2, rates).average_distance == pytest.approx((9 + 2 * 5 + 3 * 1) / 15)
    assert bounds(6, 2, rates.T) == bounds(6, 2, rates)


def test_equal_rates_are_no_rates():
    rates = np.ones((12, 12)) - np.eye(12)
    assert bounds(12, 3, rates) == pytest.approx(bounds(12, 3, ALIKE))
