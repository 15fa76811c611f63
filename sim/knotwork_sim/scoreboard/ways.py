"""Way of a packet by its network's rule, in words: to see where a packet left it."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import copies_of
from knotwork.routing.scheduling.schedule import SchedulingRouting
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork.topology import LOCAL

from .network_facts import NetworkFacts
from .sent_packet import Kind, SentPacket

SHOWN = 8
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
    first = ["..."] if len(words) > SHOWN else []
    return " ".join([*first, *words[-SHOWN:]])


def detour_text(facts: NetworkFacts, packet: SentPacket, node: int) -> str:
    """Where a packet that came to a wrong node must have left its way; empty where unknown."""
    network = facts.carried.network
    if network is None:
        return ""
    topology = network.topology
    here = topology.router_of(node)
    few = packet.nodes[:SHOWN]  # of a broadcast to a thousand, each needs a walk
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
        if network is None:
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
