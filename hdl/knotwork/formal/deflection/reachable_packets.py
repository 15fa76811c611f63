"""Packets that can come to a bufferless router at all, found by following every deflection."""

from itertools import product

from amaranth.hdl import Cat, Const

from ...network import Network
from ...topology import LOCAL
from .harness import DeflectionHarness


def arriving(network: Network) -> set[tuple[int, int, int]]:
    """Router, input port and destination of every packet that can come.

    A packet from its node takes the port that it wants. A packet from a link may take any port if
    another input may hold a packet that wants the same, or if it is at home and the node is busy.
    """
    topology, routing = network.topology, network.routing
    routers, nodes = range(topology.routers), range(topology.nodes)
    wanted = {
        (router, node): int(routing.rule(routing.parameters, router, LOCAL, 0, node)[0])
        for router, node in product(routers, nodes)
    }
    found: set[tuple[int, int, int]] = set()
    leaving = {(router, wanted[router, node], node) for router, node in product(routers, nodes)}
    while True:
        after = {
            (int(topology.neighbours[router, port]), int(topology.peer_ports[router, port]), node)
            for router, port, node in leaving
            if port != LOCAL
        }
        if after <= found:
            return found
        found |= after
        rivals: dict[tuple[int, int], set[int]] = {}
        for router, port, node in found:
            rivals.setdefault((router, wanted[router, node]), set()).add(port)
        for router, port, node in found:
            want = wanted[router, node]
            leaving.add((router, want, node))
            if want == LOCAL or rivals[router, want] != {port}:
                ports = topology.connected_ports(router)[1:]
                leaving |= {(router, int(output), node) for output in ports}


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
