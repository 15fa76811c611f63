"""The whole network as one component."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network
from ..topology import LOCAL
from .layouts import eject_layout, inject_layout
from .router import PacketRouter


def network_signature(network: Network) -> wiring.Signature:
    """Ports of a network.

    Members
    -------
    inject : In(stream of inject_layout).array(nodes)
        Stream of beats from each node; a packet's `destination` is read on its first beat.
    eject : Out(stream of eject_layout).array(nodes)
        Stream of beats to each node, packet after packet; `source` is valid on every beat.
    refused : Out(nodes)
        A bit a node, high for one clock for each packet that it could not send.
    """
    nodes = network.topology.nodes
    return wiring.Signature(
        {
            "inject": In(stream.Signature(inject_layout(network))).array(nodes),
            "eject": Out(stream.Signature(eject_layout(network))).array(nodes),
            "refused": Out(nodes),
        }
    )


class Fabric(wiring.Component):
    """Network to put into a design: routers as submodules, links between them.

    For networks of a few dozen routers; `emit.EmittedNetwork` has the same ports and takes
    thousands.

    Latency
    -------
    ``pipeline * (hops + 1)`` clocks from the handshake of a one-flit packet on ``inject[i]`` to
    its first clock on ``eject[j]``, in an idle network.

    Parameters
    ----------
    network : Network
        Topology, routing and hardware parameters.

    Members
    -------
    inject, eject, refused
        See `network_signature`.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """

    inject: list
    eject: list
    refused: Signal

    def __init__(self, network: Network) -> None:
        network.require_deadlock_free()
        self._network = network
        super().__init__(network_signature(network))

    @property
    def network(self) -> Network:
        """Network that this is."""
        return self._network

    def elaborate(self, platform: object) -> Module:
        m = Module()
        topology = self._network.topology
        routers = []
        for number in range(topology.routers):
            kind = self._network.router_kinds[self._network.router_number[number]]
            router = PacketRouter(self._network, kind)
            m.submodules[f"router_{topology.label(number)}"] = router
            wiring.connect(m, wiring.flipped(self.inject[number]), router.inject)
            wiring.connect(m, router.eject, wiring.flipped(self.eject[number]))
            m.d.comb += [
                router.address.eq(topology.address(number)),
                self.refused[number].eq(router.refused),
            ]
            routers.append(router)
        for number, router in enumerate(routers):
            for place, port in enumerate(p for p in router.kind.ports if p != LOCAL):
                peer = routers[topology.neighbours[number, port]]
                peer_place = peer.kind.ports.index(topology.peer_ports[number, port]) - 1
                wiring.connect(m, router.o[place], peer.i[peer_place])
        return m
