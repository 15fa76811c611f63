# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Loops over all pairs of routers: hops, and the load of channels along shortest paths."""

import numpy as np

from ..compiled import bits_set, loop, part

FAR = -1
"""Answer where a router is not reached, or where the hops exceed what is asked for."""


@loop
def hops(neighbours, sources, reached, grown, limit):
    """Hops from the first `sources` routers to all, and the largest distance; both may be `FAR`.

    Each router keeps one bit per source, so that 64 searches advance in one operation.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports); -1 where a port has no link.
    reached, grown : ndarray
        Room, uint64 (routers, words for the sources).
    limit : float
        Sum beyond which it is not counted further.
    """
    routers, ports = neighbours.shape
    words = reached.shape[1]
    reached[:] = 0
    for source in range(sources):
        reached[source, source >> 6] |= np.uint64(1) << np.uint64(source & 63)
    missing = (routers - 1) * sources
    total, level = 0, 0
    while missing > 0:
        total += missing
        level += 1
        if total > limit:
            return FAR, FAR
        now = 0
        for router in range(routers):
            for word in range(words):
                grown[router, word] = reached[router, word]
            for port in range(ports):
                near = neighbours[router, port]
                if near >= 0:
                    for word in range(words):
                        grown[router, word] |= reached[near, word]
            for word in range(words):
                now += bits_set(grown[router, word])
        if routers * sources - now == missing:
            return FAR, FAR
        missing = routers * sources - now
        reached, grown = grown, reached
    return total, level


@part
def search(neighbours, source, order, far, ways):
    """Routers in the order of their hops from one, the hops, and the shortest paths; how many."""
    far[:] = -1
    ways[:] = 0.0
    far[source], ways[source], order[0] = 0, 1.0, source
    first, last = 0, 1
    while first < last:
        router = order[first]
        first += 1
        for port in range(neighbours.shape[1]):
            near = neighbours[router, port]
            if near < 0:
                continue
            if far[near] < 0:
                far[near] = far[router] + 1
                order[last] = near
                last += 1
            if far[near] == far[router] + 1:
                ways[near] += ways[router]
    return last


@loop
def spread(neighbours, channels, sources, rates, loads, order, far, ways, share):
    """Hops of the flits of the first `sources` routers, and the load of every channel.

    The flits between two routers are spread evenly over the shortest paths, as in the betweenness
    of edges.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports); -1 where a port has no link.
    channels : ndarray
        int32 (routers, ports): number of the channel that leaves by a port; that of the opposite
        direction differs in the lowest bit.
    rates : ndarray
        Flits per cycle between each two routers, float64; empty where all are 1.
    loads : ndarray
        Load of each channel, float64, to be filled; empty where only hops are asked for.
    order, far, ways, share : ndarray
        Room for each router: int32 twice, float64 twice.

    Returns
    -------
    float
        Hops of all flits in a cycle; `FAR` where a router is not reached.

    References
    ----------
    Brandes, "A faster algorithm for betweenness centrality", 2001.
    """
    routers, ports = neighbours.shape
    is_uniform = rates.shape[0] == 0
    loads[:] = 0.0
    total = 0.0
    for source in range(sources):
        if search(neighbours, source, order, far, ways) < routers:
            return float(FAR)
        share[:] = 0.0
        for place in range(routers - 1, 0, -1):
            router = order[place]
            flits = 1.0 if is_uniform else rates[source, router]
            total += flits * far[router]
            if len(loads) == 0:
                continue
            flits = (flits + share[router]) / ways[router]
            for port in range(ports):
                near = neighbours[router, port]
                if near >= 0 and far[near] == far[router] - 1:
                    share[near] += flits * ways[near]
                    loads[channels[router, port] ^ 1] += flits * ways[near]
    return total
