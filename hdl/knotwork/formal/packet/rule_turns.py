"""Turns that the routing's rule takes at the routers of a kind, by walking from all sources."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...network import Network, RouterKind
from ...routing import Turn
from ...routing.rules import lane
from ...topology import LOCAL

_ADDRESSES = 4096
"""Pairs of router and destination up to which routes are compared."""


def routers_of(network: Network, kind: RouterKind) -> list[int]:
    """Routers of a kind that routes are compared for: all, or as many as come first."""
    number = network.router_kinds.index(kind)
    found = np.flatnonzero(network.router_number == number).tolist()
    return found[: max(1, _ADDRESSES // network.topology.nodes)]


@lru_cache(maxsize=8)  # each property makes a harness
def legal_turns(network: Network, kind: RouterKind) -> dict[Turn, set[tuple[int, int]]]:
    """By turn of a kind's routers, the addresses of router and destination that take it.

    Walks from all sources by the routing's rule.
    """
    nodes, address = range(network.topology.nodes), network.topology.address
    found: dict[Turn, set[tuple[int, int]]] = {turn: set() for turn in kind.unicast_turns}
    for destination in nodes:
        for turn, router in _turns(network, kind, nodes, destination):
            found[turn].add((address(router), address(destination)))
    return found


class Unicast(NamedTuple):
    """Packet to one node, at a router.

    Members
    -------
    address, destination, source : int
        Addresses of the router, and of the packet's two nodes.
    """

    address: int
    destination: int
    source: int


def legal_headers(network: Network, kind: RouterKind) -> dict[Turn, set[Unicast]]:
    """By turn of a kind's routers, the packets that take it."""
    nodes, address = range(network.topology.nodes), network.topology.address
    found: dict[Turn, set[Unicast]] = {turn: set() for turn in kind.unicast_turns}
    for destination in nodes:
        for source in nodes:
            for turn, router in _turns(network, kind, [source], destination):
                codes = (address(place) for place in (router, destination, source))
                found[turn].add(Unicast(*codes))
    return found


def _turns(
    network: Network, kind: RouterKind, sources: Iterable[int], destination: int
) -> Iterator[tuple[Turn, int]]:
    """Turns to a destination and the routers of the kind where they are taken, each once."""
    topology, routing = network.topology, network.routing
    routers = set(routers_of(network, kind))
    seen: set[tuple[int, int, int]] = set()
    # The walk follows a class in one lane, for the lanes are alike.
    waiting = [(source, LOCAL, 0) for source in sources]
    while waiting:
        arrival = waiting.pop()
        if arrival in seen:
            continue
        seen.add(arrival)
        router, port, vc_class = arrival
        output, out_class = routing.rule(routing.parameters, *arrival, destination)
        if router in routers:
            codes = topology.address(router), topology.address(destination)
            lanes = [lane(*codes, routing.lanes)] if port == LOCAL else range(routing.lanes)
            for number in lanes:
                low = number * routing.classes
                out_vc = out_class if output == LOCAL else low + out_class
                yield Turn(port, low + vc_class, int(output), int(out_vc)), router
        if output != LOCAL:
            after = int(topology.neighbours[router, output])
            waiting.append((after, int(topology.peer_ports[router, output]), int(out_class)))


class Copies(NamedTuple):
    """Broadcast as it can come to a router.

    Members
    -------
    address, source : int
        Addresses of the router and of the broadcast's source.
    label : int or None
        Bits of its label; None at its source, where it has none yet.
    sent : dict of Turn to int or None
        By turn that it takes, the label with which it leaves; to the node it has none.
    """

    address: int
    source: int
    label: int | None
    sent: dict[Turn, int | None]


@lru_cache(maxsize=8)
def legal_copies(network: Network, kind: RouterKind) -> dict[tuple[int, int], list[Copies]]:
    """By input port and virtual channel of a kind's routers, the broadcasts that can come.

    Walks with the copies of all sources by the broadcast's rule.
    """
    topology, routing = network.topology, network.routing
    routers, broadcast = set(routers_of(network, kind)), routing.broadcast
    found: dict[tuple[int, int], list[Copies]] = {}
    if broadcast is None:
        return found
    for source in range(topology.nodes):
        waiting = [(source, LOCAL, 0, 0)]
        while waiting:
            router, port, vc_class, label = arrival = waiting.pop()
            sent: dict[tuple[int, int], int | None] = {}
            if port != LOCAL:
                sent[LOCAL, 0] = None
            for output in topology.connected_ports(router)[1:]:
                answer = broadcast.rule(routing.parameters, *arrival, source, output)
                copy, out_class = (int(number) for number in answer)
                if copy < 0:
                    continue
                sent[output, out_class] = broadcast.field(copy)
                after = int(topology.neighbours[router, output])
                peer = int(topology.peer_ports[router, output])
                waiting.append((after, peer, out_class, copy))
            if router not in routers:
                continue
            codes = topology.address(router), topology.address(source)
            lanes = [lane(codes[1], codes[1], routing.lanes)]
            for number in lanes if port == LOCAL else range(routing.lanes):
                low = number * routing.classes
                turns = {
                    Turn(port, low + vc_class, out, 0 if out == LOCAL else low + out_class): field
                    for (out, out_class), field in sent.items()
                }
                coming = None if port == LOCAL else broadcast.field(label)
                place = port, low + vc_class
                found.setdefault(place, []).append(Copies(*codes, coming, turns))
    return found


def pattern(values: Iterable[tuple[int | None, int]]) -> str:
    """Pattern of values, the highest first: each, or None for any, and its bits."""
    return "".join(
        f"{value:0{bits}b}" if value is not None else "-" * bits for value, bits in values if bits
    )
