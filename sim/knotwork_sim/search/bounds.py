"""What no graph of so many routers and of such a degree can be better than."""

from typing import NamedTuple

import numpy as np


class Bounds(NamedTuple):
    """Least figures that a graph could have.

    Members
    -------
    diameter : int
        Hops.
    average_distance : float
        Hops per flit.
    fullest_channel : float
        Flits per cycle at one flit per node and cycle, if all channels were filled alike.
    """

    diameter: int
    average_distance: float
    fullest_channel: float


def moore_distances(nodes: int, degree: int) -> np.ndarray:
    """Distances from a router to all others if the paths from it never meet, rising, int64.

    A router has d neighbours, and each router further out at most d - 1 that are further still.
    The last distance has the rest.

    References
    ----------
    Cerf, Cowan, Mullin and Stanton, "A lower bound on the average shortest path length in regular
    graphs", Networks 4, 1974.
    """
    left, ring, distance = nodes - 1, degree, 1
    found: list[int] = []
    while left > 0:
        count = min(ring, left)
        found += [distance] * count
        left, ring, distance = left - count, ring * max(degree - 1, 1), distance + 1
    return np.array(found, np.int64)


def bounds(nodes: int, degree: int, rates: np.ndarray) -> Bounds:
    """Bounds for a graph of one degree.

    Parameters
    ----------
    rates : ndarray
        Flits per cycle between each two routers, float64; empty where all are alike. The routers
        that a router sends most to could be the nearest, and likewise those that send most to it.
    """
    distances = moore_distances(nodes, degree)
    average = float(distances.mean())
    if len(rates):
        others = ~np.eye(nodes, dtype=bool)
        rows = [table[others].reshape(nodes, -1) for table in (rates, rates.T)]
        hops = max(float((-np.sort(-row, axis=1) @ distances).sum()) for row in rows)
        average = hops / float(rates.sum())
    return Bounds(int(distances[-1]), average, average / degree)
