"""The whole network as one component."""

from typing import cast

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network
from ..untyped import Interface, View
from .layouts import eject_layout, inject_layout
from .monitors.of_network import PROBES, make_monitor
from .router_class import ControllerGateware
from .router_classes import gateware_of, outside_ports


def network_signature(network: Network) -> wiring.Signature:
    """Ports of a network.

    Members
    -------
    inject : In(stream of inject_layout).array(nodes)
        Stream of beats from each node; a packet's `destination` is read on its first beat.
    eject : Out(stream of eject_layout).array(nodes)
        Stream of beats to each node, packet after packet; `source` is valid on every beat.
    refused : Out(nodes)
        One bit per node, high for one cycle for each packet that the node could not send.
    config : In(config_signature)
        Jump table of networks of batches, or tables of those that load any; only there.
    status : Out
        Outcome of the last batch, or of the last load; only there.
    monitor : In(axi_lite_signature)
        Bus that reads the monitor, see `monitors.Monitor`; only with counters or a watchdog.
    alarm : Out(1)
        The watchdog has found a channel; only there.
    """
    nodes = network.topology.nodes
    members = {
        "inject": In(stream.Signature(inject_layout(network))).array(nodes),
        "eject": Out(stream.Signature(eject_layout(network))).array(nodes),
        "refused": Out(nodes),
    }
    return wiring.Signature(members | outside_ports(network))


class Fabric(wiring.Component):
    """Network to put into a design: routers as submodules, links between them.

    For networks of a few dozen routers; `emit.EmittedNetwork` has the same ports and serves
    thousands.

    Latency
    -------
    ``cycles_per_hop * hops + cycles_to_node`` cycles from the handshake of a one-flit packet on
    ``inject[i]`` to its first cycle on ``eject[j]``, in an idle network.

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
        network, topology = self._network, self._network.topology
        gateware = gateware_of(network)
        routers: list[Interface] = []
        for number in range(topology.routers):
            kind = network.router_kinds[network.router_number[number]]
            router: Interface = gateware.router(network, kind)
            m.submodules[f"router_{topology.router_identifier(number)}"] = router
            for pin, value in gateware.constants(network, number).items():
                m.d.comb += getattr(router, pin).eq(value)
            routers.append(router)
        nodes: list[Interface] = [
            gateware.node_side(routers[router], port)
            for router, port in topology.node_ports_table.T.tolist()
        ]
        if gateware.interface is not None:
            nodes = [
                self._interface(m, node, gateware.interface(network))
                for node in range(topology.nodes)
            ]
        for number, node in enumerate(nodes):
            wiring.connect(m, wiring.flipped(self.inject[number]), node.inject)
            wiring.connect(m, node.eject, wiring.flipped(self.eject[number]))
            m.d.comb += self.refused[number].eq(node.refused)
        links = self._choosers(m, nodes)
        self._link(m, routers, links)
        if network.hardware.is_monitored:
            _monitor(m, self, routers)
        if gateware.controller is not None:
            alone = gateware.controller.hears_routers
            parts = routers if alone else [*routers, *dict.fromkeys(links)]
            self._control(m, gateware.controller, parts, routers if alone else nodes)
        return m

    def _link(self, m: Module, routers: list[Interface], nodes: list[Interface]) -> None:
        """Links between routers, and those to nodes that have interfaces."""
        topology = self._network.topology
        for number, router in enumerate(routers):
            for place, port in enumerate(router.kind.sending):
                peer = int(topology.neighbours[number, port])
                if peer < 0:
                    into, out = self._ends(nodes[topology.attached[number, port]], number)
                    wiring.connect(m, router.o[place], into)
                    wiring.connect(m, out, router.i[router.kind.receiving.index(port)])
                    continue
                far = routers[peer]
                far_place = far.kind.receiving.index(topology.peer_ports[number, port])
                end = _end(m, self._network, (number, port), router.o[place])
                wiring.connect(m, end, far.i[far_place])

    def _ends(self, node: Interface, router: int) -> tuple[Interface, Interface]:
        """Ends of a node's link to a router: into the node, and out of it."""
        topology = self._network.topology
        if topology.links_per_node == 1:
            return node.i, node.o
        link = topology.node_link(router)
        return node.i[link], node.o[link]

    def _choosers(self, m: Module, interfaces: list[Interface]) -> list[Interface]:
        """What joins each node's interface to its links, where it has several."""
        network, topology = self._network, self._network.topology
        make = gateware_of(network).chooser
        if topology.links_per_node == 1 or make is None:
            return interfaces
        choosers: list[Interface] = []
        for node, interface in enumerate(interfaces):
            chooser: Interface = make(network)
            m.submodules[f"chooser_{topology.label(node)}"] = chooser
            m.d.comb += chooser.address.eq(topology.address(node))
            wiring.connect(m, interface.o, chooser.sent)
            wiring.connect(m, chooser.given, interface.i)
            choosers.append(chooser)
        return choosers

    def _interface(self, m: Module, node: int, interface: Interface) -> View:
        """Interface of a node, beside the routers."""
        topology = self._network.topology
        m.submodules[f"node_{topology.label(node)}"] = interface
        m.d.comb += interface.address.eq(topology.address(node))
        return interface

    def _control(
        self,
        m: Module,
        gateware: ControllerGateware,
        parts: list[Interface],
        reporters: list[Interface],
    ) -> None:
        """Controller of all routers and nodes; it hears the reporters."""
        controller: Interface = gateware.controller(self._network)
        m.submodules.controller = controller
        for name, member in gateware.outside_ports(self._network).items():
            outer, inner = getattr(self, name), getattr(controller, name)
            if member.is_signature:
                wiring.connect(m, wiring.flipped(outer), inner)
            else:
                m.d.comb += outer.eq(inner)
        for part in dict.fromkeys([*parts, *reporters]):
            m.d.comb += part.control.eq(controller.control)
        for number, reporter in enumerate(reporters):
            m.d.comb += controller.reports[number].eq(reporter.report)


def _monitor(m: Module, fabric: Fabric, routers: list[Interface]) -> None:
    """Monitor that hears all routers."""
    network, outside = fabric.network, cast(Interface, fabric)
    m.submodules.monitor = monitor = make_monitor(network)
    wiring.connect(m, wiring.flipped(outside.monitor), cast(Interface, monitor.bus))
    probes = {name: Cat(getattr(router, f"probe_{name}") for router in routers) for name in PROBES}
    m.d.comb += [
        *(getattr(monitor, name).eq(bits) for name, bits in probes.items()),
        monitor.refused.eq(fabric.refused),
        outside.alarm.eq(monitor.alarm),
    ]


def _end(m: Module, network: Network, place: tuple[int, int], start: Interface) -> Interface:
    """End of the channel that leaves a router by a port, behind the registers along it."""
    latency, make = network.latency(*place), gateware_of(network).link_registers
    if latency == 1 or make is None:
        return start
    along: Interface = make(network, latency)
    router, port = network.topology.router_identifier(place[0]), network.topology.ports[place[1]]
    m.submodules[f"along_{router}_{port}"] = along
    wiring.connect(m, start, along.i)
    return along.o
