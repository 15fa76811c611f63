# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""The loops that make tables, compiled by Numba and kept on disk.

A channel is a place (router, port, class) of an array of ranks. A packet may go from one channel to
any of the next router's whose rank is higher, so packets cannot wait in a ring. Routers and ports
are as in a topology's `neighbours`; a channel that may not be used has rank -1.
"""

import numpy as np

from ..compiled.calls import kept_on_disk
from ..compiled.tables import CLASSES

FAR = 2**30
"""Hops of a channel from which a destination is not reached."""


@kept_on_disk()
def reach_router(neighbours, rank, order, load, target, hops, cost, ways):
    """Find the best ways from all channels to a router: the fewest hops, then the least load.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports).
    rank : ndarray
        int32 (routers, ports, classes).
    order : ndarray
        Channels by falling rank, int64; a channel is ``(router * ports + port) * classes + class``.
    load : ndarray
        What each link carries already, float64 (routers, ports).
    target : int
        Router of the destinations.
    hops, cost : ndarray
        Filled in: hops from the channel's beginning, `FAR` for never, and their loads; int32 and
        float64, flat.
    ways : ndarray
        Filled in: the channel after each, -1 for the last; int64, flat.
    """
    ports, classes = rank.shape[1], rank.shape[2]
    ranks = rank.ravel()
    hops[:] = FAR
    for channel in order:
        link = channel // classes
        own = load[link // ports, link % ports]
        reached = neighbours[link // ports, link % ports]
        if reached == target:
            hops[channel], cost[channel], ways[channel] = 1, own, -1
            continue
        best, least, fewest = -1, 0.0, FAR
        first = reached * ports * classes
        for after in range(first, first + ports * classes):
            if ranks[after] <= ranks[channel] or hops[after] > fewest:
                continue
            if hops[after] < fewest or cost[after] < least:
                best, least, fewest = after, cost[after], hops[after]
        if best >= 0 and fewest < FAR:
            hops[channel], cost[channel], ways[channel] = fewest + 1, least + own, best


@kept_on_disk()
def best_start(router, ports, classes, hops, cost):
    """Best channel by which a router's own packets begin; -1 where none leads to the target."""
    best, least, fewest = -1, 0.0, FAR
    first = router * ports * classes
    for after in range(first, first + ports * classes):
        if hops[after] < fewest or (hops[after] == fewest < FAR and cost[after] < least):
            best, least, fewest = after, cost[after], hops[after]
    return best


@kept_on_disk()
def fill_table(
    neighbours, peer_ports, rank, order, local_nodes, targets, weights, load, entries, lengths
):
    """Fill a table of best ways to all routers with nodes; later ways avoid the load of earlier.

    Parameters
    ----------
    neighbours, peer_ports, rank, order
        As for `reach_router`, `peer_ports` like `neighbours`.
    local_nodes : ndarray
        Node behind each local port, int32 (routers, local ports), -1 for none.
    targets : ndarray
        Routers with nodes, int64, in the order in which ways to them are chosen.
    weights : ndarray
        Flits between routers, float64 (routers, routers).
    load : ndarray
        float64 (routers, ports), raised.
    entries : ndarray
        int16 (routers, ports, classes, nodes), filled where packets come; was -1.
    lengths : ndarray
        Hops between routers with nodes, int32 (routers, routers), filled; -1 where no way leads.
    """
    routers, ports = neighbours.shape
    classes = rank.shape[2]
    count = rank.size
    hops, cost = np.empty(count, np.int32), np.empty(count)
    ways = np.empty(count, np.int64)
    carried, used = np.zeros(count), np.zeros(count, np.bool_)
    own_ports = local_nodes.shape[1]
    for target in targets:
        reach_router(neighbours, rank, order, load, target, hops, cost, ways)
        lengths[target, target] = 0
        for router in range(routers):
            if router == target or local_nodes[router].max() < 0:
                continue
            start = best_start(router, ports, classes, hops, cost)
            if start < 0:
                lengths[router, target] = -1
                continue
            lengths[router, target] = hops[start]
            carried[start] += weights[router, target]
            used[start] = True
            for port in range(own_ports):
                _enter(entries, local_nodes, target, router, port, 0, start, classes)
        for channel in order[::-1]:
            if not used[channel]:
                continue
            link, vc_class = channel // classes, channel % classes
            load[link // ports, link % ports] += carried[channel]
            after = ways[channel]
            if after >= 0:
                router = neighbours[link // ports, link % ports]
                port = peer_ports[link // ports, link % ports]
                _enter(entries, local_nodes, target, router, port, vc_class, after, classes)
                carried[after] += carried[channel]
                used[after] = True
            used[channel], carried[channel] = False, 0.0


@kept_on_disk()
def _enter(entries, local_nodes, target, router, port, vc_class, channel, classes):
    """Enter a channel as the way to all nodes of a router."""
    ports = entries.shape[1]
    entry = channel // classes % ports * CLASSES + channel % classes
    for node in local_nodes[target]:
        if node >= 0:
            entries[router, port, vc_class, node] = entry


@kept_on_disk()
def search_distances(neighbours, found):
    """Fill in the hops between all routers, int32 (routers, routers); `FAR` where no way leads."""
    routers, ports = neighbours.shape
    queue = np.empty(routers, np.int64)
    for source in range(routers):
        reached = found[source]
        reached[:] = FAR
        reached[source] = 0
        queue[0], first, last = source, 0, 1
        while first < last:
            router = queue[first]
            first += 1
            for port in range(ports):
                after = neighbours[router, port]
                if after >= 0 and reached[after] == FAR:
                    reached[after] = reached[router] + 1
                    queue[last] = after
                    last += 1
