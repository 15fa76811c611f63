"""What a scoreboard says of a wrong delivery: which packet, where it should be, where it is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import copies_of
from knotwork.routing.scheduling.schedule import SchedulingRouting
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork.topology import LOCAL

from .network_facts import Kind, NetworkFacts, SentPacket

HOPS_LISTED = 8
"""Hops that a text shows at most."""

Leg = list[tuple[int, str]]
"""Routers on the way of one copy, each with the name of the port by which it leaves."""


def route_text(facts: NetworkFacts, packet: SentPacket, node: int) -> str:
    """Last hops of the way on which the rule takes a packet to a node; empty where none is known.

    Of circuits and deflected packets it is the way that they prefer; of a batch's, the way under
    the table of its permutation.
    """
    network, legs = facts.carried.network, _legs(facts, packet, node)
    if network is None or not legs:
        return ""
    words = []
    for receiver, leg in legs:
        words += [f"{network.topology.router_label(router)} -{port}->" for router, port in leg]
        words.append(f"node {receiver}")
    first = ["..."] if len(words) > HOPS_LISTED else []
    return " ".join([*first, *words[-HOPS_LISTED:]])


def detour_text(facts: NetworkFacts, packet: SentPacket, node: int) -> str:
    """Where a packet that came to a wrong node must have left its way; empty where unknown."""
    network = facts.carried.network
    if network is None:
        return ""
    topology = network.topology
    here = topology.router_of(node)
    few = packet.nodes[:HOPS_LISTED]  # of a broadcast to a thousand, each needs a walk
    way = [hop for end in few for _, leg in _legs(facts, packet, end) for hop in leg]
    if here in [router for router, _ in way]:
        return f"router {topology.router_label(here)} is on its way"
    for router, _ in reversed(way):
        for port, neighbour in enumerate(topology.neighbours[router].tolist()):
            if neighbour == here:
                name = topology.ports[port]
                return f"one hop from its way: {topology.router_label(router)} -{name}->"
    return ""


def _legs(facts: NetworkFacts, packet: SentPacket, node: int) -> list[tuple[int, Leg]]:
    """Receiver and routers of each copy on the way to a node: one, but for multicasts."""
    network = facts.carried.network
    try:
        if network is None or network.routing.draws > 1:  # a packet does not say what was drawn
            return []
        if packet.kind is Kind.BROADCAST:
            return [(node, _tree_way(network, packet.source, node))]
        ends = _relayed(packet, node) if packet.kind is Kind.MULTICAST else [(packet.source, node)]
        return [(receiver, _leg(network, sender, receiver)) for sender, receiver in ends]
    except ConfigurationError:  # the way depends on other packets
        return _together(facts, packet)


def _together(facts: NetworkFacts, packet: SentPacket) -> list[tuple[int, Leg]]:
    """Receiver and routers of a packet where one packet of every node moves at once.

    None where some of them are not known, or where together they are no permutation that arrives.
    """
    network = facts.carried.network
    if network is None or not packet.nodes:
        return []
    routing = network.routing
    if not isinstance(routing, SchedulingRouting):
        return []
    nodes, turns = range(len(facts.codes)), defaultdict[int, list[SentPacket]](list)
    for each in facts.sent:
        if each.nodes:
            turns[each.source].append(each)
    own = turns[packet.source]
    turn = own.index(packet) if packet in own else len(own)
    if any(len(turns[node]) <= turn for node in nodes):
        return []
    destinations = [turns[node][turn].nodes[0] for node in nodes]
    if sorted(destinations) != list(nodes):
        return []
    hops: list[tuple[int, int]] = []
    arrived: list[int] = []
    for frame in routing.frames(np.array(nodes), np.array(destinations)):
        hops += [hop for way in frame.moves if way.source == packet.source for hop in way.hops]
        arrived = frame.arrived
    if packet.nodes[0] not in arrived:
        return []
    end = packet.nodes[0]
    ports = network.topology.ports
    leg = [(router, ports[port]) for router, port in hops]
    return [(end, [*leg, (network.topology.router_of(end), ports[LOCAL])])]


def _leg(network: Network, source: int, destination: int) -> Leg:
    ports = network.topology.ports
    return [(hop.router, ports[hop.port]) for hop in network.routing.hops(source, destination)]


def _relayed(packet: SentPacket, node: int) -> Iterator[tuple[int, int]]:
    """Sender and receiver of each copy of a multicast on the way to a node."""
    sender, chain = packet.source, list(packet.nodes)
    while node in chain:
        for receiver, rest in copies_of(chain):
            if receiver == node or node in rest:
                yield sender, receiver
                sender, chain = receiver, list(rest)
                break


def _tree_way(network: Network, source: int, node: int) -> Leg:
    """Routers from a broadcast's source to a node of its tree."""
    topology, broadcast = network.topology, network.routing.broadcast
    if broadcast is None:
        return []
    tree = broadcast_tree(topology, broadcast.rule, network.routing.parameters, source)
    end = topology.router_of(node)
    way = [*tree.way_to(end), (end, topology.node_port(node))]
    return [(router, topology.ports[port]) for router, port in way]


SHOWN = 8
"""Packets, nodes and bits that a text lists at most."""


class Mismatch(AssertionError):
    """Something that a network did and must not do, or did not do and must.

    Members
    -------
    what : str
        The fault in a few words, as ``misrouted``.
    packet : SentPacket or None
        Packet that it is about.
    node : int or None
        Node at which it was seen, or should have been.
    cycle : int or None
        Cycle in which it was seen.
    """

    def __init__(
        self,
        text: str,
        what: str,
        *,
        packet: SentPacket | None = None,
        node: int | None = None,
        cycle: int | None = None,
    ) -> None:
        super().__init__(text)
        self.what, self.packet, self.node, self.cycle = what, packet, node, cycle


def make_mismatch(
    facts: NetworkFacts,
    what: str,
    headline: str,
    *,
    packet: SentPacket | None = None,
    node: int | None = None,
    cycle: int | None = None,
    details: Iterable[tuple[str, str]] = (),
) -> Mismatch:
    """Mismatch whose text says all that is known, a fact per line."""
    lines = list(details)
    if packet is not None:
        lines.insert(0, (f"packet {packet.number}", packet_text(facts, packet)))
        ends = [node] if node in packet.nodes else packet.nodes[:1]
        lines += [
            ("route by the rule", way) for end in ends if (way := route_text(facts, packet, end))
        ]
    at = "" if cycle is None else f", in cycle {cycle}"
    text = [f"{facts.name}: {headline}{at}"]
    text += [f"  {name}: {fact}" for name, fact in lines]
    return Mismatch("\n".join(text), what, packet=packet, node=node, cycle=cycle)


def packet_text(facts: NetworkFacts, packet: SentPacket) -> str:
    """Ends of a packet, its flits and the cycle from which it was offered."""
    offered = "" if packet.cycle is None else f", offered in cycle {packet.cycle}"
    flits = "1 flit" if packet.flits == 1 else f"{packet.flits} flits"
    return f"{facts.label(packet.source)} to {_ends(facts, packet)}, {flits}{offered}"


def _ends(facts: NetworkFacts, packet: SentPacket) -> str:
    if packet.kind is Kind.BROADCAST:
        return "everyone"
    if not packet.nodes:
        return "no node"
    return listed(facts.label(node) for node in packet.nodes)


def listed(words: Iterable[str]) -> str:
    """Words with commas; of many the first and how many more."""
    every = list(words)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
