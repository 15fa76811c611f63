"""Turns that the routing's rule takes at the routers of a kind, by walking from all sources."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...gateware.packet.inputs import constants
from ...network import Network, RouterKind
from ...routing import Turn

_ADDRESSES = 4096
"""Pairs of router and destination up to which routes are compared."""

Ways = tuple[Turn, ...]
"""Turns of a packet at a router: its first way, and the others in the order of its requests."""


def routers_of(network: Network, kind: RouterKind) -> list[int]:
    """Routers of a kind that routes are compared for: all, or as many as come first."""
    number = network.router_number[kind.router]
    found = np.flatnonzero(network.router_number == number).tolist()
    return found[: max(1, _ADDRESSES // network.routing.labels)]


def router_codes(network: Network, kind: RouterKind) -> dict[int, int]:
    """By router of a kind, what it knows as itself: its address.

    Where routers serve several nodes or none, all its constants, the first lowest.
    """
    routers, topology = routers_of(network, kind), network.topology
    if topology.is_one_to_one:
        return {router: topology.address(router) for router in routers}
    codes = {}
    for router in routers:
        pins = constants(network, router).values()
        codes[router] = int("0" + pattern((pin.value, len(pin)) for pin in [*pins][::-1]), 2)
    return codes


def _nodes(network: Network, kind: RouterKind) -> range:
    """Nodes whose packets come to a kind: all, or those of its class of traffic."""
    number = kind.traffic_class
    return range(network.topology.nodes) if number is None else network.topology.sides[number]


def _labels(network: Network, kind: RouterKind) -> Iterator[tuple[int, list[int]]]:
    """Those nodes with each number that a header may have, and the sources that write it."""
    topology, routing = network.topology, network.routing
    for number in range(routing.header_numbers):
        for node in _nodes(network, kind):
            label = node + topology.nodes * number
            sources = [one for one in topology.receivers(node) if routing.writes(one, label)]
            if sources:
                yield label, sources


def _lanes(network: Network, node: int) -> range:
    """Lanes of the packets from a node, or to it: those of its class of traffic."""
    share = network.routing.lanes // network.traffic_classes
    first = network.topology.port_class(network.topology.node_port(node)) * share
    return range(first, first + share)


@lru_cache(maxsize=8)
def legal_ways(network: Network, kind: RouterKind) -> dict[Ways, set[tuple[int, int]]]:
    """By ways at a kind's routers, code of the router and header's destination that have them.

    Walks from all sources by the routing's rule.
    """
    headers, codes = network.routing.destination_codes, router_codes(network, kind)
    found: dict[Ways, set[tuple[int, int]]] = {}
    for label, sources in _labels(network, kind):
        for ways, router in _ways(network, kind, sources, label):
            found.setdefault(ways, set()).add((codes[router], headers[label]))
    return found


@lru_cache(maxsize=8)  # each property makes a harness
def legal_turns(network: Network, kind: RouterKind) -> dict[Turn, set[tuple[int, int]]]:
    """By turn of a kind's routers, code of the router and header's destination that take it.

    Where packets choose, most pairs take several turns: their first way, and others.
    """
    found: dict[Turn, set[tuple[int, int]]] = {turn: set() for turn in kind.unicast_turns}
    for ways, codes in legal_ways(network, kind).items():
        for turn in ways:
            found[turn] |= codes
    return found


class Unicast(NamedTuple):
    """Packet to one node, at a router.

    Members
    -------
    router, destination, source : int
        Code of the router, and what the header has of the packet's two nodes.
    """

    router: int
    destination: int
    source: int


def legal_headers(network: Network, kind: RouterKind) -> dict[Turn, set[Unicast]]:
    """By turn of a kind's routers, the packets that take it."""
    topology, headers = network.topology, network.routing.destination_codes
    codes = router_codes(network, kind)
    found: dict[Turn, set[Unicast]] = {turn: set() for turn in kind.unicast_turns}
    for label, sources in _labels(network, kind):
        for source in sources:
            for ways, router in _ways(network, kind, [source], label):
                ends = headers[label], topology.address(source)
                for turn in ways:
                    found[turn].add(Unicast(codes[router], *ends))
    return found


def _ways(
    network: Network, kind: RouterKind, sources: Iterable[int], label: int
) -> Iterator[tuple[Ways, int]]:
    """Ways with a label and the routers of the kind where packets have them, each once."""
    topology, routing = network.topology, network.routing
    destination = label % topology.nodes
    routers = set(routers_of(network, kind))
    seen: set[tuple[int, int, int]] = set()
    # The walk follows a class in one lane, for the lanes are alike.
    starts = topology.node_ports_table[:, list(sources)].T.tolist()
    waiting = [(*start, number) for start in starts for number in routing.injection_classes]
    while waiting:
        arrival = waiting.pop()
        if arrival in seen:
            continue
        seen.add(arrival)
        router, port, vc_class = arrival
        outputs = _outputs(network, arrival, label)
        if topology.is_local(port) and topology.is_local(outputs[0][0]) and vc_class:
            continue  # a node relays nothing to itself
        if router in routers:
            lanes = _lanes(network, destination)
            if topology.is_local(port):
                source = int(topology.local_nodes[router, port])
                codes = topology.address(source), topology.address(destination)
                lanes = [routing.lane_of(*codes)]
            for number in lanes:
                low = number * routing.classes
                yield (
                    tuple(
                        Turn(
                            port,
                            low + vc_class,
                            output,
                            out_class if topology.is_local(output) else low + out_class,
                        )
                        for output, out_class in outputs
                    ),
                    router,
                )
        for output, out_class in outputs:
            if not topology.is_local(output):
                after = int(topology.neighbours[router, output])
                waiting.append((after, int(topology.peer_ports[router, output]), out_class))


def _outputs(network: Network, arrival: tuple[int, int, int], label: int) -> list[tuple[int, int]]:
    """Output and class of a packet's first way, and of its others; one at its node's router."""
    routing, (router, port, vc_class) = network.routing, arrival
    has_escaped = routing.escape_class is None or vc_class >= routing.escape_class
    found: list[tuple[int, int]] = []
    for known_class in (vc_class, *(() if has_escaped else routing.other_ways)):
        answer = routing.rule(routing.parameters, router, port, known_class, label)
        output, out_class = (int(number) for number in answer)
        found.append((output, out_class))
        if network.topology.is_local(output):
            break
    return found


class Copies(NamedTuple):
    """Broadcast as it can come to a router.

    Members
    -------
    address, source : int
        Code of the router, and address of the broadcast's source.
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
    codes, broadcast = router_codes(network, kind), routing.broadcast
    found: dict[tuple[int, int], list[Copies]] = {}
    if broadcast is None:
        return found
    for source in _nodes(network, kind):
        start, address = topology.node_port(source), topology.address(source)
        lanes = _lanes(network, source)
        nodes = set(topology.receivers(source)) - {source}
        waiting = [(topology.router_of(source), start, 0, 0)]
        while waiting:
            router, port, vc_class, label = arrival = waiting.pop()
            sent: dict[tuple[int, int], int | None] = {}
            for output in topology.connected_ports(router):
                if topology.is_local(output):
                    if int(topology.local_nodes[router, output]) in nodes:
                        sent[output, 0] = None
                    continue
                answer = broadcast.rule(routing.parameters, *arrival, source, output)
                copy, out_class = (int(number) for number in answer)
                if copy < 0:
                    continue
                sent[output, out_class] = broadcast.field(copy)
                after = int(topology.neighbours[router, output])
                peer = int(topology.peer_ports[router, output])
                waiting.append((after, peer, out_class, copy))
            if router not in codes:
                continue
            is_source = topology.is_local(port)
            for number in [routing.lane_of(address, address)] if is_source else lanes:
                low = number * routing.classes
                turns = {
                    Turn(
                        port,
                        low + vc_class,
                        out,
                        0 if topology.is_local(out) else low + out_class,
                    ): field
                    for (out, out_class), field in sent.items()
                }
                coming = None if is_source else broadcast.field(label)
                place = port, low + vc_class
                case = Copies(codes[router], address, coming, turns)
                found.setdefault(place, []).append(case)
    return found


def pattern(values: Iterable[tuple[int | None, int]]) -> str:
    """Pattern of values, the highest first: each, or None for any, and its bits."""
    return "".join(
        f"{value:0{bits}b}" if value is not None else "-" * bits for value, bits in values if bits
    )
