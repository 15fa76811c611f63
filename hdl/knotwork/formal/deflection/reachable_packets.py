"""Packets that can come to a bufferless router at all, found by following every deflection."""

from itertools import product
from typing import NamedTuple

from amaranth.hdl import Cat, Const

from ...network import Network
from ...topology import LOCAL, Topology
from .harness import DeflectionHarness


class Packet(NamedTuple):
    """Packet at a router.

    Members
    -------
    router, port : int
        Router, and the port on which the packet arrives or leaves.
    node : int
        Destination.
    """

    router: int
    port: int
    node: int


def arriving(network: Network) -> set[Packet]:
    """Every packet that can come, by its input port.

    A packet from its node takes the port that it wants. A packet from a link may take any port if
    another input may hold a packet that wants the same, or if it is at home and the node is busy.
    """
    topology, routing = network.topology, network.routing
    routers, nodes = range(topology.routers), range(topology.nodes)
    wanted = {
        (router, node): int(routing.rule(routing.parameters, router, LOCAL, 0, node)[0])
        for router, node in product(routers, nodes)
    }
    found: set[Packet] = set()
    pairs = product(routers, nodes)
    leaving = {Packet(router, wanted[router, node], node) for router, node in pairs}
    while True:
        after = {_moved(topology, packet) for packet in leaving if packet.port != LOCAL}
        if after <= found:
            return found
        found |= after
        rivals: dict[tuple[int, int], set[int]] = {}
        for router, port, node in found:
            rivals.setdefault((router, wanted[router, node]), set()).add(port)
        for router, port, node in found:
            want = wanted[router, node]
            leaving.add(Packet(router, want, node))
            if want == LOCAL or rivals[router, want] != {port}:
                ports = topology.connected_ports(router)[1:]
                leaving |= {Packet(router, int(output), node) for output in ports}


def _moved(topology: Topology, packet: Packet) -> Packet:
    """Packet that left by a link, at the next router."""
    router, port, node = packet
    there = int(topology.neighbours[router, port]), int(topology.peer_ports[router, port])
    return Packet(*there, node)


def assume_reachable(harness: DeflectionHarness) -> None:
    """Consider only packets that can come."""
    network, topology = harness.network, harness.network.topology
    number, width = network.router_kinds.index(harness.kind), topology.address_width
    pairs: dict[int, set[int]] = {port: set() for port in harness.kind.ports[1:]}
    for router, port, node in arriving(network):
        if network.router_number[router] == number:
            pairs[port].add(topology.address(router) << width | topology.address(node))
    for port, (valid, packet) in zip(harness.kind.ports[1:], harness.came, strict=True):
        pair = Cat(packet.destination, harness.address)
        known = pair.matches(*sorted(pairs[port])) if pairs[port] else Const(0)
        harness.environment(~valid | known)
