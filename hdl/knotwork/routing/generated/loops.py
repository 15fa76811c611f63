# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Loops that generate tables and spread paths over links, compiled by Numba and kept on disk.

A channel is a position (router, port, class) of an array of ranks. A packet may go from one channel
to any of the next router's whose rank is higher, so packets cannot wait in a ring. Routers and
ports are as in a topology's `neighbours`; a channel that may not be used has rank -1.

Plans (`spread`): for each destination router there is a channel after each channel, and one by
which each router's own packets begin. So packets to a router that meet in a channel go on together,
as a table sends them. A link's length is the rise of an exponential of its load, so that the
fullest links count most.
"""

from typing import NamedTuple, Self

import numpy as np

from ..compiled.calls import call_rule, kept_on_disk
from ..compiled.tables import CLASSES
from ..draws import label_of

FAR = 2**30
"""Hops of a channel from which a destination is not reached."""


@kept_on_disk(_nrt=False)
def reach_router(neighbours, ranks, order, load, target, hops, cost, following):
    """Find the best paths from all channels to a router: the fewest hops, then the least load.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports).
    ranks : ndarray
        Rank of each channel, int32, flat.
    order : ndarray
        Channels by falling rank, int64; a channel is ``(router * ports + port) * classes + class``.
    load : ndarray
        What each link carries already, float64 (routers, ports).
    target : int
        Router of the destinations.
    hops, cost : ndarray
        Filled in: hops from the channel's beginning, `FAR` for never, and their loads; int32 and
        float64, flat.
    following : ndarray
        Filled in: the channel after each, -1 for the last; int64, flat.
    """
    ports = neighbours.shape[1]
    classes = len(ranks) // neighbours.size
    hops[:] = FAR
    for channel in order:
        link = channel // classes
        own = load[link // ports, link % ports]
        reached = neighbours[link // ports, link % ports]
        if reached == target:
            hops[channel], cost[channel], following[channel] = 1, own, -1
            continue
        best, least, fewest = -1, 0.0, FAR
        first = reached * ports * classes
        for after in range(first, first + ports * classes):
            if ranks[after] <= ranks[channel] or hops[after] > fewest:
                continue
            if hops[after] < fewest or cost[after] < least:
                best, least, fewest = after, cost[after], hops[after]
        if best >= 0 and fewest < FAR:
            hops[channel], cost[channel], following[channel] = fewest + 1, least + own, best


@kept_on_disk(_nrt=False)
def best_start(router, ports, classes, hops, cost):
    """Best channel by which a router's own packets begin; -1 where none leads to the target."""
    best, least, fewest = -1, 0.0, FAR
    first = router * ports * classes
    for after in range(first, first + ports * classes):
        if hops[after] < fewest or (hops[after] == fewest < FAR and cost[after] < least):
            best, least, fewest = after, cost[after], hops[after]
    return best


class TableScratch(NamedTuple):
    """Scratch memory of `fill_table`, by channel.

    Members
    -------
    hops, cost, following : ndarray
        As `reach_router` fills them.
    carried, used : ndarray
        Flits that the paths so far bring to it, float64, and whether any does; cleared.
    """

    hops: np.ndarray
    cost: np.ndarray
    following: np.ndarray
    carried: np.ndarray
    used: np.ndarray

    @classmethod
    def of(cls, channels: int) -> Self:
        """Scratch memory for so many channels."""
        return cls(
            hops=np.empty(channels, np.int32),
            cost=np.empty(channels),
            following=np.empty(channels, np.int64),
            carried=np.zeros(channels),
            used=np.zeros(channels, np.bool_),
        )


@kept_on_disk(_nrt=False)
def fill_table(
    neighbours,
    peer_ports,
    ranks,
    order,
    local_nodes,
    targets,
    weights,
    load,
    entries,
    lengths,
    scratch,
):
    """Fill a table of best paths to all routers with nodes; later paths avoid the load of earlier.

    Parameters
    ----------
    neighbours, peer_ports, ranks, order
        As for `reach_router`, `peer_ports` like `neighbours`.
    local_nodes : ndarray
        Node behind each local port, int32 (routers, local ports), -1 for none.
    targets : ndarray
        Routers with nodes, int64, in the order in which paths to them are chosen.
    weights : ndarray
        Flits between routers, float64 (routers, routers).
    load : ndarray
        float64 (routers, ports), raised.
    entries : ndarray
        int16 (routers, ports, classes, nodes), filled where packets come; was -1.
    lengths : ndarray
        Hops between routers with nodes, int32 (routers, routers), filled; -1 where no path leads.
    scratch : TableScratch
        Scratch memory.
    """
    routers, ports = neighbours.shape
    classes = len(ranks) // neighbours.size
    hops, cost, following = scratch.hops, scratch.cost, scratch.following
    carried, used = scratch.carried, scratch.used
    own_ports = local_nodes.shape[1]
    for target in targets:
        reach_router(neighbours, ranks, order, load, target, hops, cost, following)
        lengths[target, target] = 0
        for router in range(routers):
            if router == target or not _has_nodes(local_nodes, router):
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
            after = following[channel]
            if after >= 0:
                router = neighbours[link // ports, link % ports]
                port = peer_ports[link // ports, link % ports]
                _enter(entries, local_nodes, target, router, port, vc_class, after, classes)
                carried[after] += carried[channel]
                used[after] = True
            used[channel], carried[channel] = False, 0.0


@kept_on_disk(_nrt=False)
def _has_nodes(local_nodes, router):
    """Whether a router has a node."""
    for node in local_nodes[router]:  # noqa: SIM110 - compiled
        if node >= 0:
            return True
    return False


@kept_on_disk(_nrt=False)
def _enter(entries, local_nodes, target, router, port, vc_class, channel, classes):
    """Enter a channel as the path to all nodes of a router."""
    ports = entries.shape[1]
    entry = channel // classes % ports * CLASSES + channel % classes
    for node in local_nodes[target]:
        if node >= 0:
            entries[router, port, vc_class, node] = entry


@kept_on_disk(_nrt=False)
def search_distances(neighbours, found, queue):
    """Fill in the hops between all routers, int32 (routers, routers); `FAR` where no path leads."""
    routers, ports = neighbours.shape
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


@kept_on_disk(_nrt=False)
def follow_links(
    rule,
    parameters,
    neighbours,
    peer_ports,
    routers,
    own,
    own_ports,
    written,
    drawn,
    load,
    flits,
    paths,
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
    written : ndarray
        `Routing.written_numbers`.
    drawn : int
        Number that each source has drawn.
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
            label = label_of(written, routers, source, destination, drawn)
            while True:
                output, vc_class = call_rule(
                    rule, parameters.ctypes.data, router, port, vc_class, label
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
def most_layers(neighbours, rank, served, layers):
    """Find the layers that the minimal paths between all routers need.

    In a layer the ranks of a path's channels rise; each channel whose rank does not needs one more.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports).
    rank : ndarray
        Rank of each link in a layer, int32 (routers, ports).
    served : ndarray
        Whether a router has nodes, bool; pairs without count for nothing.
    layers : ndarray
        Filled, int32 (routers, routers); was 0.
    """
    routers, ports = neighbours.shape
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


NEVER = 1e300
"""Length of a channel from which a destination is not reached."""
LAST, NOWHERE = -1, -2
"""After the last channel of a path, and after a channel from which no path leads on."""

_HOP = 1e-6  # length of a link without load, so that paths are not longer for nothing
_GAIN = 1e-9  # least gain for which a path is changed


@kept_on_disk(_nrt=False)
def rise(load, more, aim, sharp):
    """How much the exponential of a link's load rises with more of it."""
    return np.exp(sharp * ((load + more) / aim - 1)) - np.exp(sharp * (load / aim - 1))


@kept_on_disk()
def spread(
    neighbours, rank, order, weights, hints, distances, aim, sharps, generator_seed, plan, best_plan
):
    """Change paths until no link is fuller than aimed at; returns the best load.

    Parameters
    ----------
    neighbours, rank : ndarray
        int32 (routers, ports), and (routers, ports, classes).
    order : ndarray
        Channels by falling rank, int64.
    weights : ndarray
        Flits between routers, float64 (routers, routers); below 0 where no packets go.
    hints : ndarray
        Length of each link in the first paths, float64 (routers, links); by destination. Empty: by
        the load of the paths before.
    distances : ndarray
        Hops between routers, int32 (routers, routers), where paths must be minimal; else empty.
    aim : float
        Load of the fullest link at which to stop.
    sharps : ndarray
        Sharpness of the exponential in each pass, float64.
    generator_seed : int
        Of the order in which paths are tried.
    plan : tuple of ndarray
        Filled: load of the links, float64; by destination, the channel after each, each router's
        first one, and the sources whose packets take a channel, int32 (routers, channels or
        routers).
    best_plan : tuple of ndarray
        Filled: the channels after each and the first ones, of the best plan.
    """
    load, after, start, users = plan
    routers = len(neighbours)
    ranks, near, width = rank.ravel(), neighbours.ravel(), rank.size // routers
    carried = np.zeros(after.shape)
    length, links = np.empty(rank.size), np.empty(near.size)
    best, (best_after, best_start) = NEVER, best_plan
    best_after[:], best_start[:] = after, start
    np.random.seed(generator_seed)  # noqa: NPY002 - Numba's generator
    for place in range(len(sharps) + 1):
        sharp = sharps[max(place - 1, 0)]
        for target in np.random.permutation(routers):  # noqa: NPY002
            sources = np.random.permutation(routers)  # noqa: NPY002
            own = weights[:, target]
            if own.max() < 0:
                continue
            for link in range(len(links)):
                links[link] = _HOP + rise(load[link], aim / 100, aim, sharp)
            target_plan = load, after[target], users[target], carried[target]
            if place == 0 and len(hints) > 0:
                links[:] = hints[target]
            _extend(near, ranks, width, order, target, distances, links, length, target_plan)
            if place == 0:
                _begin(sources, target, own, ranks, width, length, start[target], target_plan)
                continue
            firsts = start[target]
            _change_starts(
                sources, target, own, ranks, width, length, firsts, target_plan, aim, sharp
            )
            _change_channels(near, ranks, width, order, length, target_plan, aim, sharp)
        if load.max() < best - 1e-12:
            best, best_after[:], best_start[:] = load.max(), after, start
        if best <= aim:
            break
    return best


@kept_on_disk()
def _extend(near, ranks, width, order, target, distances, links, length, plan):
    """Find the lengths from all channels; those that no packet takes get their best paths.

    `width` counts the channels of a router. `plan` holds the loads of the links, and for the target
    the channel after each, the sources whose packets take it, and what it carries.
    """
    _, after, users, _ = plan
    classes = len(ranks) // len(near)
    for channel in order:
        router, own = near[channel // classes], links[channel // classes]
        if len(distances) > 0 and distances[router, target] >= distances[channel // width, target]:
            after[channel], length[channel] = NOWHERE, NEVER
            continue
        if router == target:
            after[channel], length[channel] = LAST, own
            continue
        if users[channel] == 0:
            after[channel] = _nearest(router * width, width, ranks[channel], ranks, length)
        chosen = after[channel]
        length[channel] = own + length[chosen] if chosen >= 0 else NEVER


@kept_on_disk()
def _nearest(first, width, rank_below, ranks, length):
    """Channel of a router with the shortest path whose rank is above a minimum, or `NOWHERE`."""
    chosen, shortest = NOWHERE, NEVER
    for channel in range(first, first + width):
        if ranks[channel] > rank_below and length[channel] < shortest:
            chosen, shortest = channel, length[channel]
    return chosen


@kept_on_disk()
def _begin(sources, target, own, ranks, width, length, start, plan):
    """Give every source its first path."""
    for router in sources:
        if router != target and own[router] >= 0:
            start[router] = _nearest(router * width, width, -1, ranks, length)
            _carry(start[router], own[router], 1, plan)


@kept_on_disk()
def _change_starts(sources, target, own, ranks, width, length, start, plan, aim, sharp):
    """Let the packets of every source begin by another channel, where that gains."""
    for router in sources:
        if router == target or own[router] < 0:
            continue
        old, flits = start[router], own[router]
        span = router * width, width
        new = _better(span, -1, old, flits, ranks, length, plan, aim, sharp)
        if new != old:
            _carry(old, -flits, -1, plan)
            _carry(new, flits, 1, plan)
            start[router] = new


@kept_on_disk()
def _change_channels(near, ranks, width, order, length, plan, aim, sharp):
    """Let the packets in every channel go on by another one, where that gains."""
    _, after, users, carried = plan
    classes = len(ranks) // len(near)
    for channel in order:
        old = after[channel]
        if users[channel] == 0 or old < 0:
            continue
        flits, many = carried[channel], users[channel]
        span = near[channel // classes] * width, width
        new = _better(span, ranks[channel], old, flits, ranks, length, plan, aim, sharp)
        if new != old:
            _carry(old, -flits, -many, plan)
            _carry(new, flits, many, plan)
            after[channel] = new


@kept_on_disk()
def _carry(channel, flits, sources, plan):
    """Add packets to a path, from a channel on."""
    load, after, users, carried = plan
    classes = len(after) // len(load)
    while channel >= 0:
        load[channel // classes] += flits
        carried[channel] += flits
        users[channel] += sources
        if users[channel] == 0:
            carried[channel] = 0.0
        channel = after[channel]


@kept_on_disk()
def _better(span, rank_below, old, flits, ranks, length, plan, aim, sharp):
    """Channel of a router whose way gains most over the old one; the old one if none gains."""
    load, after, _, _ = plan
    classes = len(after) // len(load)
    chosen, least = old, -_GAIN
    released, hops, channel = 0.0, 0, old
    while channel >= 0:
        released += rise(load[channel // classes], -flits, aim, sharp)
        hops += 1
        channel = after[channel]
    for start in range(span[0], span[0] + span[1]):
        if start == old or ranks[start] <= rank_below or length[start] >= NEVER:
            continue
        change, channel, added = released, start, 0
        while channel >= 0 and change < least:
            link, shared = channel // classes, old
            while shared >= 0 and shared // classes != link:
                shared = after[shared]
            less = flits if shared >= 0 else 0.0
            change += rise(load[link] - less, flits, aim, sharp)
            added += 1
            channel = after[channel]
        change += _HOP * (added - hops)
        if change < least:
            chosen, least = start, change
    return chosen


@kept_on_disk()
def add_shortest_paths(neighbours, lengths, weights, load):
    """Send everything by shortest paths; returns the sum of the lengths that the flits cross.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports).
    lengths, weights : ndarray
        float64, by link and by (router, router); none below 0.
    load : ndarray
        float64 (links,), raised by what crosses each.
    """
    routers, ports = neighbours.shape
    total = 0.0
    found, done = np.empty(routers), np.empty(routers, np.bool_)
    came, order = np.empty(routers, np.int64), np.empty(routers, np.int64)
    for source in range(routers):
        found[:], done[:] = NEVER, False
        found[source], came[source], count = 0.0, -1, 0
        for _ in range(routers):
            here, least = -1, NEVER
            for router in range(routers):
                if not done[router] and found[router] < least:
                    here, least = router, found[router]
            if here < 0:
                break
            done[here], order[count] = True, here
            count += 1
            total += weights[source, here] * least
            for port in range(ports):
                far = neighbours[here, port]
                if far >= 0 and least + lengths[here * ports + port] < found[far]:
                    found[far] = least + lengths[here * ports + port]
                    came[far] = here * ports + port
        flits = weights[source].copy()
        for place in range(count - 1, 0, -1):
            link = came[order[place]]
            load[link] += flits[order[place]]
            flits[link // ports] += flits[order[place]]
    return total


@kept_on_disk(_nrt=False)
def fill_plan(
    neighbours, peer_ports, local_nodes, weights, classes, after, start, load, entries, lengths
):
    """Fill a table by a plan, what its links carry, and its hops, as `loops.fill_table` does."""
    ports = neighbours.shape[1]
    for target in range(len(start)):
        for router in range(len(start)):
            channel, place, into, vc_class = start[target, router], router, 0, 0
            while channel >= 0:
                entry = channel // classes % ports * CLASSES + channel % classes
                for node in local_nodes[target]:
                    if node >= 0:
                        last = into if into > 0 else local_nodes.shape[1] - 1
                        entries[place, into : last + 1, vc_class, node] = entry
                link, vc_class = channel // classes, channel % classes
                load[link] += weights[router, target]
                lengths[router, target] += 1
                port = link % ports
                into, place = peer_ports[place, port], neighbours[place, port]
                channel = after[target, channel]
