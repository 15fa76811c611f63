# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""The loops that generate tables, compiled by Numba and kept on disk.

A channel is a place (router, port, class) of an array of ranks. A packet may go from one channel to
any of the next router's whose rank is higher, so packets cannot wait in a ring. Routers and ports
are as in a topology's `neighbours`; a channel that may not be used has rank -1.
"""

import numpy as np

from ..compiled.calls import call_rule, kept_on_disk
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


@kept_on_disk()
def follow_links(
    rule, parameters, neighbours, peer_ports, routers, own, own_ports, load, flits, paths
):
    """Follow a rule between all pairs of nodes that it brings together.

    Parameters
    ----------
    rule, parameters, neighbours, peer_ports
        As for the walks of `walks.loops`.
    routers, own : ndarray
        Router and local port of each node, int32.
    own_ports : int
        Local ports.
    load : ndarray
        float64 (links,), raised by what crosses each.
    flits : ndarray
        float64 (nodes, nodes), or (1, 1) for the same of all pairs.
    paths : ndarray
        Links of each path, int32 (nodes, nodes, hops), filled; empty where they are not needed.
    """
    ports, same = neighbours.shape[1], len(flits) == 1
    for source in range(len(routers)):
        for destination in range(len(routers)):
            if source == destination:
                continue
            carried = flits[0, 0] if same else flits[source, destination]
            router, port, vc_class, hops = routers[source], own[source], 0, 0
            while True:
                output, vc_class = call_rule(
                    rule, parameters.ctypes.data, router, port, vc_class, destination
                )
                if output < own_ports:
                    break
                link = router * ports + output
                load[link] += carried
                if paths.size > 0:
                    paths[source, destination, hops] = link
                hops += 1
                port, router = peer_ports[router, output], neighbours[router, output]


@kept_on_disk()
def most_layers(neighbours, rank, served):
    """Layers that the minimal paths between all routers need, int32 (routers, routers).

    In a layer the ranks of a path's channels rise; each channel whose rank does not needs one more.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports).
    rank : ndarray
        Rank of each link in a layer, int32 (routers, ports).
    served : ndarray
        Whether a router has nodes, bool; pairs without count for nothing.
    """
    routers, ports = neighbours.shape
    layers = np.zeros((routers, routers), np.int32)
    hops, queue = np.empty(routers, np.int64), np.empty(routers, np.int64)
    # Layers of the best path whose last hop is a link, and of the best to a router.
    by_link, found = np.empty((routers, ports), np.int32), np.empty(routers, np.int32)
    for source in range(routers):
        if not served[source]:
            continue
        hops[:], found[:], by_link[:] = FAR, FAR, FAR
        hops[source], by_link[source] = 0, 1
        queue[0], first, last = source, 0, 1
        while first < last:
            router = queue[first]
            first += 1
            if served[router] and router != source:
                layers[source, router] = found[router]
            for port in range(ports):
                far = neighbours[router, port]
                if far < 0:
                    continue
                if hops[far] == FAR:
                    hops[far] = hops[router] + 1
                    queue[last] = far
                    last += 1
                if hops[far] != hops[router] + 1:
                    continue
                own = by_link[router, port]
                found[far] = min(found[far], own)
                for after in range(ports):
                    more = own + (rank[far, after] <= rank[router, port])
                    by_link[far, after] = min(by_link[far, after], more)
    return layers
