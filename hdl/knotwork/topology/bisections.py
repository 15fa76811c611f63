"""Fewest links between two halves of a network: by formula, by search, or between bounds."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from .addressed_graph import AddressedGraph

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


def bisection(topology: AddressedGraph, known: tuple[int, int] | None) -> Bounds | None:
    """Fewest links between two halves of the routers, which differ by one at most.

    Double links count twice. Without a formula, all halves of a small network are tried. In a
    larger one the second eigenvalue of the graph's Laplacian gives the lower bound, and the better
    of two cuts the upper one: by index, and along that eigenvector.

    Parameters
    ----------
    topology : AddressedGraph
        Routers and links.
    known : (int, int) or None
        Bounds that formulas give.

    Returns
    -------
    Bounds or None
        None where routers are not nodes, so that half of the routers says nothing.
    """
    if not are_nodes(topology):
        return None
    if known is not None:
        low, high = known
        return Bounds(low, high, "formula" if low == high else "bounds")
    if topology.nodes <= HALVES_LIMIT:
        found = _least_cut(_adjacency(topology.neighbours))
        return Bounds(found, found, "search")
    low, high = 1, _cut(topology.neighbours, np.arange(topology.nodes))
    if topology.nodes <= SPECTRUM_LIMIT:
        low, order = _spectral_bound(topology.neighbours)
        high = min(high, _cut(topology.neighbours, order))
    return Bounds(low, high, "bounds")


def are_nodes(topology: AddressedGraph) -> bool:
    """Whether routers are nodes, one each, and none has a link to another."""
    return topology.routers == topology.nodes and bool((topology.attached < 0).all())


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
