"""Facts of a graph by search, from its array of neighbours."""

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
        Small int, shape (routers, ports); see `AddressedGraph.port_uses`.

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
