# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Expected load of the channels where a packet's path depends on its nodes and its draw alone."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..compiled.calls import call_rule, kept_on_disk
from ..routing_rule import RoutingRule


class DestinationShares(NamedTuple):
    """Destinations of a node's packets.

    Members
    -------
    node : int
        Source of the packets.
    destinations : ndarray
        Nodes, int64.
    shares : ndarray
        Flits to each destination if the nodes send a flit each on average, float64; their sum is
        1 where all nodes send the same.
    """

    node: int
    destinations: np.ndarray
    shares: np.ndarray


class WalkedLoads(NamedTuple):
    """Load of all channels.

    Members
    -------
    links : ndarray
        Flits on the link behind each port, float64 of shape (routers, ports).
    ejected : ndarray
        Flits that each node receives, float64.
    busiest : float
        Flits that the busiest node sends, at least 1.
    hops : float
        Hops of all flits, added up.
    """

    links: np.ndarray
    ejected: np.ndarray
    busiest: float
    hops: float

    def fullest(self, capacity: float = 1.0) -> float:
        """Flits on the fullest channel, injection and ejection included.

        Those of links count as a share of the `capacity`, the flits per cycle that a link carries.
        """
        ejected, links = self.ejected.max(initial=0.0), self.links.max(initial=0.0)
        return max(self.busiest, float(ejected), float(links) / capacity)


_PAIRS = 1 << 20
"""Pairs of nodes whose paths are walked together, about."""


class _Scratch(NamedTuple):
    """Scratch memory of a walk; a state is (router * ports + input port) * classes + class.

    Members
    -------
    after, link : ndarray
        State after each, `_UNKNOWN` or `_EJECTED`, and the link between them, int64.
    carried : ndarray
        Flits that come to each state, float64.
    order, starts : ndarray
        States in the order in which they were found, and where each path of new ones begins, int64.
    """

    after: np.ndarray
    link: np.ndarray
    carried: np.ndarray
    order: np.ndarray
    starts: np.ndarray


_UNKNOWN, _EJECTED = -1, -2


def walked_loads(routing: RoutingRule, rows: Iterable[DestinationShares]) -> WalkedLoads:
    """Load by the paths of all pairs; packets take those of `Routing.rule`, never an escape."""
    topology = routing.topology
    links, ejected = np.zeros(topology.neighbours.shape), np.zeros(topology.nodes)
    peers = np.ascontiguousarray(topology.peer_ports)
    neighbours = np.ascontiguousarray(topology.neighbours)
    places = np.ascontiguousarray(topology.node_ports_table, np.int64)
    rule, parameters = routing.compiled_rule
    states = links.size * routing.classes
    scratch = _Scratch(
        after=np.full(states, _UNKNOWN, np.int64),
        link=np.zeros(states, np.int64),
        carried=np.zeros(states),
        order=np.zeros(states, np.int64),
        starts=np.zeros(states, np.int64),
    )
    hops, busiest = 0.0, 1.0
    for block in _blocks(_with_draws(row, routing) for row in rows):
        sources, destinations, shares = _by_destination(block, routing.labels)
        hops += _walk(
            rule,
            parameters,
            neighbours,
            peers,
            places,
            topology.local_ports,
            routing.classes,
            sources,
            destinations,
            shares,
            links,
            scratch,
        )
        ejected += np.bincount(destinations % topology.nodes, shares, topology.nodes)
        sent = max(float(row.shares.sum()) for row in block)
        busiest = max(busiest, round(sent, 12))  # sums of shares are not exact
    return WalkedLoads(links, ejected, busiest, hops)


def _with_draws(row: DestinationShares, routing: RoutingRule) -> DestinationShares:
    """Same flits to `Routing.labels`: the source draws each number alike."""
    if routing.draws == 1:
        return row
    numbers = np.arange(routing.draws)[:, None]
    labels = routing.label(row.node, row.destinations, numbers).ravel()
    return DestinationShares(row.node, labels, np.tile(row.shares, routing.draws) / routing.draws)


def _blocks(rows: Iterable[DestinationShares]) -> Iterator[list[DestinationShares]]:
    """Rows of about `_PAIRS` pairs at a time."""
    block: list[DestinationShares] = []
    pairs = 0
    for row in rows:
        block.append(row)
        pairs += len(row.destinations)
        if pairs >= _PAIRS:
            yield block
            block, pairs = [], 0
    if pairs:
        yield block


def _by_destination(
    rows: list[DestinationShares], labels: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, destinations and shares of all pairs, sorted by destination."""
    destinations = np.concatenate([row.destinations for row in rows])
    sources = np.repeat([row.node for row in rows], [len(row.destinations) for row in rows])
    kind = np.uint16 if labels <= 1 << 16 else np.int64  # NumPy sorts short integers fast
    order = np.argsort(destinations.astype(kind), kind="stable")
    shares = np.concatenate([row.shares for row in rows])
    return sources[order], destinations[order], shares[order]


@kept_on_disk(_nrt=False)
def _walk(
    rule,
    parameters,
    neighbours,
    peer_ports,
    places,
    local_ports,
    classes,
    sources,
    destinations,
    shares,
    loads,
    scratch,
):
    """Add the load of packets, sorted by destination, to `loads`; return the hops of all."""
    total, begin = 0.0, 0
    while begin < len(sources):
        end = begin
        while end < len(sources) and destinations[end] == destinations[begin]:
            end += 1
        paths, count = _find_paths(
            rule,
            parameters,
            neighbours,
            peer_ports,
            places,
            local_ports,
            classes,
            sources[begin:end],
            destinations[begin],
            shares[begin:end],
            scratch,
        )
        total += _carry(loads, scratch, paths, count)
        begin = end
    return total


@kept_on_disk(_nrt=False)
def _find_paths(
    rule,
    parameters,
    neighbours,
    peer_ports,
    places,
    local_ports,
    classes,
    sources,
    destination,
    shares,
    scratch,
):
    """Walk the paths to a node until each meets another one; return how many paths and states."""
    ports, paths, count = neighbours.shape[1], 0, 0
    for place in range(len(sources)):
        if shares[place] == 0.0:
            continue
        router, port, vc_class = places[0, sources[place]], places[1, sources[place]], 0
        state = (router * ports + port) * classes
        scratch.carried[state] += shares[place]
        first = count
        while scratch.after[state] == _UNKNOWN:
            scratch.order[count] = state
            count += 1
            port, vc_class = call_rule(
                rule, parameters.ctypes.data, router, port, vc_class, destination
            )
            if port < local_ports:
                scratch.after[state] = _EJECTED
                break
            scratch.link[state] = router * ports + port
            router, port = neighbours[router, port], peer_ports[router, port]
            scratch.after[state] = (router * ports + port) * classes + vc_class
            state = scratch.after[state]
        if count > first:
            scratch.starts[paths] = first
            paths += 1
    return paths, count


@kept_on_disk(_nrt=False)
def _carry(loads, scratch, paths, count):
    """Carry the flits along the paths, the last found first: it may lead into any before it."""
    ports, total, end = loads.shape[1], 0.0, count
    for path in range(paths - 1, -1, -1):
        for place in range(scratch.starts[path], end):
            state = scratch.order[place]
            flits, after = scratch.carried[state], scratch.after[state]
            scratch.carried[state], scratch.after[state] = 0.0, _UNKNOWN
            if after != _EJECTED:
                link = scratch.link[state]
                loads[link // ports, link % ports] += flits
                scratch.carried[after] += flits
                total += flits
        end = scratch.starts[path]
    return total
