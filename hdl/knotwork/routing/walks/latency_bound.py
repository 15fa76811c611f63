"""Bound of the latency of packets whose sources are limited, where nothing else holds them up.

In a network of routers with credits whose sources send at most `burst` flits and `rate` more per
cycle, the bound follows from these steps, which are those of the network calculus.

1. While a router holds a flit, at least one of its flits crosses it in every cycle, if there is
   room behind its outputs. For a flit waits only for others that cross; and of a packet that has
   an output, the next flit is there in every cycle, because the flits of a packet start without a
   pause and, where a link has one virtual channel, stay together. With several channels only
   packets of one flit do so.
2. So a router has sent all that it holds after as many cycles as there are flits in these. A source
   sends through it, in t cycles, at most ``burst + rate * (t + J)``, `J` being how long its packets
   may have waited before. With N flits at once and a rate of R of all sources together, it is empty
   after ``N / (1 - R)`` cycles, and no flit waits longer.
3. The waiting times of all routers depend on each other through `J`. They are the least solution of
   these equations, which is the only one because each step of their iteration is smaller than the
   one before, by a factor that is checked.
4. There is room behind an output as long as each buffer holds what may gather in it: no more than
   its sources send while the router works, and no more than other inputs send, for in a cycle in
   which none of the buffer's flits crosses, one of theirs does.

References
----------
R. L. Cruz, "A calculus for network delay", parts I and II, IEEE Trans. Information Theory 37(1),
1991.
"""

from fractions import Fraction
from itertools import chain
from math import floor
from typing import NamedTuple

from ...parameters import Limit
from ..routing_rule import RoutingRule

NODES = 256
"""Nodes up to which a bound is computed: all pairs are walked one by one."""


class LatencyBound(NamedTuple):
    """Bound of a packet's latency, from the cycle in which the network takes its first flit.

    Members
    -------
    cycles : int or None
        To the cycle in which its node is given its last flit; None where there is no bound.
    reason : str or None
        Why there is none.
    buffer_depth : int or None
        Flits that each buffer must hold for the bound; None where none would do.
    """

    cycles: int | None = None
    reason: str | None = None
    buffer_depth: int | None = None


class _Step(NamedTuple):
    """Router of a path, and the port by which the path comes in."""

    router: int
    port: int


def latency_bound(
    routing: RoutingRule, limit: Limit | None, *, depth: int, cycles_per_hop: int = 2
) -> LatencyBound:
    """Bound for packets of at most `limit.burst` flits, whatever nodes they go to.

    The nodes take every flit as soon as it is there.

    Parameters
    ----------
    routing : RoutingRule
        Of packet routers with credits.
    limit : Limit or None
        Of every source; without one there is no bound.
    depth : int
        Flits that a buffer holds.
    cycles_per_hop : int
        Cycles that a head takes from router to router; to the node it takes 2.
    """
    topology = routing.topology
    if limit is None:
        return LatencyBound(reason="nothing limits what the nodes send")
    for is_known, reason in (
        (topology.nodes <= NODES, f"bounds are computed up to {NODES} nodes"),
        (
            routing.broadcast is None and not routing.chain_limit,
            "bounds are for packets to one node",
        ),
        (routing.has_one_path, "bounds are for packets that take one path"),
        (topology.link_latency is None, "bounds are for links that take one cycle"),
        (
            routing.virtual_channels == 1 or limit.burst == 1,
            "with several virtual channels of a class, bounds are for packets of one flit",
        ),
    ):
        if not is_known:
            return LatencyBound(reason=reason)
    paths = _paths(routing)
    waits = _waits(paths, topology.routers, limit)
    if waits is None:
        return LatencyBound(reason="the nodes send too much for a bound")
    under_way = cycles_per_hop + 2  # flits and credits, at most one per cycle of a round
    needed = _gathered(paths, waits, limit) + under_way
    if needed > depth:
        reason = f"buffer_depth must be at least {needed} for a bound, not {depth}"
        return LatencyBound(reason=reason, buffer_depth=needed)
    every = chain.from_iterable(paths)
    longest = max(
        cycles_per_hop * (len(path) - 1) + 2 + sum(waits[step.router] for step in path)
        for path in every
    )
    return LatencyBound(cycles=longest + limit.burst - 1, buffer_depth=needed)


def _paths(routing: RoutingRule) -> list[list[list[_Step]]]:
    """Paths of each source to all nodes."""
    topology = routing.topology

    def path(source: int, destination: int) -> list[_Step]:
        port, steps = topology.node_port(source), []
        for hop in routing.hops(source, destination):
            steps.append(_Step(hop.router, port))
            port = int(topology.peer_ports[hop.router, hop.port])
        return steps

    every = range(topology.nodes)
    return [[path(source, destination) for destination in every] for source in every]


def _waits(paths: list[list[list[_Step]]], routers: int, limit: Limit) -> list[int] | None:
    """Cycles that a flit waits in each router at most; None where the nodes send too much."""
    ahead = [_latest(own, [1] * routers) for own in paths]  # routers before each
    free = [1 - limit.rate * sum(router in own for own in ahead) for router in range(routers)]
    for router, left in enumerate(free):
        # What a further cycle of waiting everywhere adds to the waiting here.
        if left <= 0 or limit.rate * sum(own.get(router, 0) for own in ahead) >= left:
            return None
    waits = [0] * routers
    while True:
        late = [_latest(own, waits) for own in paths]
        found = []
        for router, left in enumerate(free):
            flits = sum(limit.burst + limit.rate * own[router] for own in late if router in own)
            found.append(max(0, floor(flits / left) - 1))
        if found == waits:
            return waits
        waits = found


def _latest(paths: list[list[_Step]], waits: list[int]) -> dict[int, int]:
    """Cycles that packets on some paths may have waited before each router that they pass."""
    late: dict[int, int] = {}
    for path in paths:
        waited = 0
        for router, _ in path:
            late[router] = max(late.get(router, 0), waited)
            waited += waits[router]
    return late


def _gathered(paths: list[list[list[_Step]]], waits: list[int], limit: Limit) -> int:
    """Flits that gather in a buffer at most."""
    sent: dict[_Step, dict[int, Fraction]] = {}  # by buffer and source
    for source, own in enumerate(paths):
        late = _latest(own, waits)
        for step in set(chain.from_iterable(own)):
            cycles = late[step.router] + waits[step.router] + 1
            sent.setdefault(step, {})[source] = limit.burst + limit.rate * cycles
    most = 0
    for step, own in sent.items():
        others: dict[int, Fraction] = {}
        for other, flits in sent.items():
            if other.router == step.router and other.port != step.port:
                others |= flits
        most = max(most, floor(min(sum(own.values()), sum(others.values()))) + 1)
    return most
