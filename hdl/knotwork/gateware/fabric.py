"""The whole network as one component."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network
from ..topology import LOCAL
from .batch_controller import BatchController
from .batch_layouts import config_signature
from .batch_router import BatchRouter
from .layouts import eject_layout, inject_layout
from .router import PacketRouter

ROUTERS = {"packet": PacketRouter, "batch": BatchRouter}
"""Router by the class that a routing names."""

CONTROLLERS = {"batch": BatchController}
"""What a network has one of beside its routers, by the same."""


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
    config : In(config_signature)
        Jump table, where packets go in batches.
    status : Out(1 + flag_width)
        What became of the last batch; there too.
    """
    nodes = network.topology.nodes
    members = {
        "inject": In(stream.Signature(inject_layout(network))).array(nodes),
        "eject": Out(stream.Signature(eject_layout(network))).array(nodes),
        "refused": Out(nodes),
    }
    if network.routing.router in CONTROLLERS:
        members["config"] = In(config_signature(network))
        members["status"] = Out(1 + network.routing.flag_width)
    return wiring.Signature(members)


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
    inject, eject, refused, config, status
        See `network_signature`.

    Raises
    ------
    DeadlockError
        The network failed its deadlock check.
    """

    inject: list
    eject: list
    refused: Signal
    config: stream.Interface
    status: Signal

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
            router: Any = ROUTERS[self._network.routing.router](self._network, kind)
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
        if self._network.routing.router in CONTROLLERS:
            self._control(m, routers)
        return m

    def _control(self, m: Module, routers: list[Any]) -> None:
        """Controller of all routers."""
        controller = CONTROLLERS[self._network.routing.router](self._network)
        m.submodules.controller = controller
        wiring.connect(m, wiring.flipped(self.config), controller.config)
        m.d.comb += self.status.eq(controller.status)
        for number, router in enumerate(routers):
            m.d.comb += [
                router.control.eq(controller.control),
                controller.reports[number].eq(router.report),
            ]
