"""Measures of a graph, from its array of neighbours: distances, degrees and the bisection."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

SEARCH_LIMIT = 16384
"""Routers up to which the distances of all pairs are searched (about a second).

Where symmetry lets some routers stand for all, as many pairs.
"""

_ROWS_A_PASS = 65536  # bounds the memory of a pass: a sorted copy of these rows
_SOURCES_A_PASS = 4096  # bounds the memory of a pass: two bit arrays of routers x this


def distance_counts(neighbours: np.ndarray, sources: np.ndarray | None = None) -> np.ndarray:
    """Ordered pairs of routers at each distance, by breadth-first search from many at once.

    Each router keeps one bit per source; a step ORs the neighbours' bits into it, so that 64
    searches advance in one operation.

    Parameters
    ----------
    neighbours : ndarray
        int, shape (routers, ports); -1 where a port has no link.
    sources : ndarray or None
        First routers of the pairs; None for all.

    Returns
    -------
    ndarray
        int64; entry k counts the pairs k hops apart, entry 0 the routers themselves.

    Raises
    ------
    ValueError
        The graph is not connected.
    """
    routers = len(neighbours)
    every = np.arange(routers) if sources is None else sources
    counts: list[int] = []
    for first in range(0, len(every), _SOURCES_A_PASS):
        some = every[first : first + _SOURCES_A_PASS]
        reached = np.zeros((routers, -(-len(some) // 64)), np.uint64)
        column = np.arange(len(some))
        reached[some, column // 64] = np.uint64(1) << (column % 64).astype(np.uint64)
        total, step = len(some), 0
        _add(counts, step, total)
        while total < len(some) * routers:
            grown = reached.copy()
            for port in range(neighbours.shape[1]):
                linked = neighbours[:, port] >= 0
                grown[linked] |= reached[neighbours[linked, port]]
            reached, step = grown, step + 1
            now = int(np.bitwise_count(reached).sum(dtype=np.int64))
            if now == total:
                raise ValueError("the graph must be connected, not in parts")
            _add(counts, step, now - total)
            total = now
    return np.array(counts, np.int64)


def _add(counts: list[int], step: int, amount: int) -> None:
    counts.extend([0] * (step + 1 - len(counts)))
    counts[step] += amount


def distances(neighbours: np.ndarray) -> np.ndarray:
    """Hops of shortest paths between all pairs of routers, int16 of shape (routers, routers).

    Breadth-first search from all routers at once; for networks whose square fits the memory.

    Raises
    ------
    ValueError
        The graph is not connected.
    """
    reached = np.eye(len(neighbours), dtype=bool)
    hops = np.zeros(reached.shape, np.int16)
    while not reached.all():
        hops += ~reached
        grown = reached.copy()
        for port in range(neighbours.shape[1]):
            linked = neighbours[:, port] >= 0
            grown[linked] |= reached[neighbours[linked, port]]
        if (grown == reached).all():
            raise ValueError("the graph must be connected, not in parts")
        reached = grown
    return hops


def distance(neighbours: np.ndarray, source: int, destination: int) -> int:
    """Hops of a shortest path from `source` to `destination`."""
    seen = np.zeros(len(neighbours), bool)
    seen[source] = True
    frontier, hops = np.array([source]), 0
    while not seen[destination]:
        near = neighbours[frontier].ravel()
        near = np.unique(near[near >= 0])
        frontier = near[~seen[near]]
        if not len(frontier):
            raise ValueError(f"router {destination} must be reachable from router {source}")
        seen[frontier] = True
        hops += 1
    return hops


def degrees(neighbours: np.ndarray) -> tuple[int, int]:
    """Least and greatest number of links at a router."""
    degree = (neighbours >= 0).sum(axis=1)
    return int(degree.min()), int(degree.max())


def link_counts(neighbours: np.ndarray, *, one_way: bool = False) -> tuple[int, int]:
    """Links (double ones counted twice) and distinct pairs of neighbours.

    Each link is in the rows of both its ends, so the counts are halved. A link that leads one way
    only is in its sender's row.
    """
    ends = distinct = 0
    for first in range(0, len(neighbours), _ROWS_A_PASS):
        near = np.sort(neighbours[first : first + _ROWS_A_PASS], axis=1)
        ends += int((near >= 0).sum())
        distinct += int((near[:, 0] >= 0).sum())
        distinct += int(((near[:, 1:] != near[:, :-1]) & (near[:, 1:] >= 0)).sum())
    rows = 1 if one_way else 2
    return ends // rows, distinct // rows


def port_patterns(uses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows of what ports do, and which of them each router has.

    Parameters
    ----------
    uses : ndarray
        Small int, shape (routers, ports); see `Topology.port_uses`.

    Returns
    -------
    patterns : ndarray
        The same of shape (patterns, ports), in rising order.
    number : ndarray
        int, shape (routers,): index into `patterns`.
    """
    number, base = np.zeros(len(uses), np.int64), int(uses.max()) + 1
    for column in uses.T:
        if (column != column[0]).any():  # else it distinguishes no routers
            number = np.unique(number * base + column, return_inverse=True)[1].ravel()
    _, first = np.unique(number, return_index=True)
    return uses[first], number


HALVES_LIMIT = 20
"""Nodes up to which all halves are tried for the bisection."""
SPECTRUM_LIMIT = 1024
"""Nodes up to which the bisection is bounded by the spectrum of the graph."""


class Bounds(NamedTuple):
    """Measure between bounds, and how they were found.

    Members
    -------
    low, high : int
        The measure is at least, and at most, this.
    by : str
        ``"formula"``, ``"search"``, or ``"bounds"``, which may meet.
    """

    low: int
    high: int
    by: str

    @property
    def exact(self) -> int | None:
        """The measure; None where only bounds are known."""
        return self.low if self.low == self.high else None


def bisection(neighbours: np.ndarray, known: tuple[int, int] | None) -> Bounds:
    """Fewest links between two halves of the routers, which differ by one at most.

    Double links count twice. Without a formula, all halves of a small network are tried. In a
    larger one the second eigenvalue of the graph's Laplacian gives the lower bound, and the better
    of two cuts the upper one: by index, and along that eigenvector.

    Parameters
    ----------
    neighbours : ndarray
        Router behind each port, -1 for none; every router is a node.
    known : (int, int) or None
        Bounds that formulas give.

    """
    if known is not None:
        low, high = known
        return Bounds(low, high, "formula" if low == high else "bounds")
    if len(neighbours) <= HALVES_LIMIT:
        found = _least_cut(_adjacency(neighbours))
        return Bounds(found, found, "search")
    low, high = 1, _cut(neighbours, np.arange(len(neighbours)))
    if len(neighbours) <= SPECTRUM_LIMIT:
        low, order = _spectral_bound(neighbours)
        high = min(high, _cut(neighbours, order))
    return Bounds(low, high, "bounds")


def _adjacency(neighbours: np.ndarray) -> np.ndarray:
    """Links between each two routers."""
    routers = len(neighbours)
    links = np.zeros((routers, routers), np.int64)
    for column in neighbours.T:
        here = np.nonzero(column >= 0)[0]
        np.add.at(links, (here, column[here]), 1)
    return links


def _least_cut(links: np.ndarray) -> int:
    """Links between the best halves, all tried; router 0 is in the smaller one or in either."""
    routers = len(links)
    sides = {routers // 2, routers - routers // 2} - {0}  # of one router, there is one half
    least = int(links.sum())
    for size in sides:
        chosen = np.array(list(combinations(range(1, routers), size - 1)), np.int64)
        half = np.zeros((len(chosen), routers), np.int64)
        half[:, 0] = 1
        np.put_along_axis(half, chosen.reshape(len(chosen), size - 1), 1, axis=1)
        cuts = np.einsum("ij,ij->i", half @ links, 1 - half)
        least = min(least, int(cuts.min()))
    return least


def _cut(neighbours: np.ndarray, order: np.ndarray) -> int:
    """Links between the first half of the routers, in this order, and the second."""
    half = np.zeros(len(neighbours), bool)
    half[order[: len(order) // 2]] = True
    near = neighbours[half]
    return int((~half[near[near >= 0]]).sum())


def _spectral_bound(neighbours: np.ndarray) -> tuple[int, np.ndarray]:
    """Links that any two halves have between them, and the routers along the eigenvector."""
    links = _adjacency(neighbours)
    laplacian = np.diag(links.sum(axis=1)) - links
    values, vectors = np.linalg.eigh(laplacian.astype(float))
    nodes = len(links)
    halves = (nodes // 2) * (nodes - nodes // 2)
    low = int(np.ceil(values[1] * halves / nodes - 1e-6))
    return max(low, 1), np.argsort(vectors[:, 1], kind="stable")
