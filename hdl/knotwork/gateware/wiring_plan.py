"""Wiring plan of a network: its modules, their instances, and the nets that join these.

The plan is made once from a `Network`. `Fabric` places it as submodules of an Amaranth design, and
`emit.verilog` writes it as text; so neither decides what is connected to what.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from amaranth.hdl import Const, Shape
from amaranth.lib import stream

from ..monitoring import ProbeWidths, network_probes, probe_widths
from ..network import Network, RouterKind
from ..untyped import Interface
from .collectives.plan import (
    collective_bundles,
    collective_module,
    collective_ports,
    group_ports,
)
from .layouts import eject_layout, inject_layout
from .monitor import PROBES, make_monitor
from .planned import (
    Connection,
    Net,
    PlannedInstance,
    PlannedModule,
    PlannedPort,
    PortGroup,
    WiringPlan,
)
from .router_class import ControllerGateware, RouterGateware, node_suffix
from .router_classes import gateware_of, outside_ports


@lru_cache(maxsize=2)  # `generate` asks several times for the same network
def wiring_plan(network: Network) -> WiringPlan:
    """Plan of a network."""
    return _Planner(network).plan()


def network_bundles(network: Network) -> dict[str, Any]:
    """Signatures of bundles by name, as `WiringPlan` has them."""
    bundles: dict[str, Any] = {
        "link": gateware_of(network).link_signature(network),
        "inject": stream.Signature(inject_layout(network)),
        "eject": stream.Signature(eject_layout(network)),
    }
    outside = outside_ports(network)  # all of them come in
    bundles |= {name: one.signature.flip() for name, one in outside.items() if one.is_signature}
    return bundles | collective_bundles(network)


def network_wide_ports(network: Network) -> Iterator[PlannedPort]:
    """Ports of a network that are no node's: of its controller, and of its monitor."""
    for name, member in outside_ports(network).items():
        if member.is_signature:
            yield PlannedPort(name, name, True, attrgetter(name))
        else:
            yield PlannedPort(name, "", False, attrgetter(name), Shape.cast(member.shape).width)


def node_ports(network: Network, node: int) -> Iterator[PlannedPort]:
    """Ports of a network for a node."""
    suffix = f"_{network.port_names[node]}"
    yield PlannedPort("inject", "inject", True, lambda fabric: fabric.inject[node], suffix=suffix)
    yield PlannedPort("eject", "eject", False, lambda fabric: fabric.eject[node], suffix=suffix)
    yield PlannedPort("refused", "", False, lambda fabric: fabric.refused[node], suffix=suffix)


def network_ports(network: Network) -> Iterator[PlannedPort]:
    """All ports of a network, as its top lists them."""
    yield from network_wide_ports(network)
    for node in range(network.topology.nodes):
        yield from node_ports(network, node)
    yield from collective_ports(network)


def router_module(network: Network, kind: RouterKind) -> PlannedModule:
    """Router: constants, its nodes' streams, what joins it to controller and monitor, links."""
    gateware = gateware_of(network)
    groups = [
        (PlannedPort(pin, "", True, attrgetter(pin), len(constant)),)
        for pin, constant in gateware.constants(network, kind.router).items()
    ]
    if gateware.interface is None:
        for port in kind.node_ports:
            groups += _serving_ports(network, gateware, port)
    elif gateware.controller is not None:
        groups.append((_control_port(network, gateware.controller),))
    groups += [
        (PlannedPort(f"probe_{probe}", "", False, attrgetter(f"probe_{probe}"), width),)
        for probe, width in _probes(network, probe_widths(kind)).items()
        if width
    ]
    if gateware.controller is not None and gateware.controller.routers_report:
        groups += _control_and_report(network, gateware.controller)
    groups += [_link_group(network, gateware, kind, port) for port in kind.links]
    return PlannedModule(kind.name, lambda: gateware.router(network, kind), tuple(groups))


def interface_module(network: Network) -> PlannedModule:
    """Interface of a node, where it is not part of a router."""
    gateware = gateware_of(network)
    groups = [_address_group(network), *_serving_ports(network, gateware), _link_pair("i", "o")]
    return _at_nodes(network, "interface", gateware.interface, groups)


def chooser_module(network: Network) -> PlannedModule:
    """What joins a node's interface to its links, where it has several."""
    gateware = gateware_of(network)
    assert gateware.controller is not None
    groups = [
        _address_group(network),
        (_control_port(network, gateware.controller),),
        _link_pair("sent", "given"),
        *(_link_pair("i", "o", number) for number in range(network.topology.links_per_node)),
    ]
    return _at_nodes(network, "chooser", gateware.chooser, groups)


def link_module(network: Network, latency: int) -> PlannedModule:
    """Registers along a channel that takes so many cycles."""
    make = gateware_of(network).link_registers
    assert make is not None
    name = network.module_name(f"link{latency}")
    return PlannedModule(name, lambda: make(network, latency), (_link_pair("i", "o"),))


def link_latencies(network: Network) -> list[int]:
    """Latencies above 1 that links of a network have, rising."""
    return sorted({network.latency(*channel) for channel in network.long_links})


def controller_module(network: Network) -> PlannedModule:
    """Controller: its own stream and status where it has them, and what joins it to the others."""
    gateware = gateware_of(network).controller
    assert gateware is not None
    own = gateware.outside_ports(network)
    ports = [port for port in network_wide_ports(network) if port.name in own]
    control = _control_port(network, gateware)
    reporters = network.topology.routers if gateware.routers_report else network.topology.nodes
    width = reporters * gateware.report_layout(network).size
    ports.append(PlannedPort("reports", "", True, attrgetter("reports"), width))
    ports.append(control._replace(receives=False))
    name = network.module_name("controller")
    return PlannedModule(name, lambda: gateware.controller(network), tuple((p,) for p in ports))


def monitor_module(network: Network) -> PlannedModule:
    """Monitor, which reads the routers' probes."""
    probes = _probes(network, network_probes(network)) | {"refused": network.topology.nodes}
    ports = [PlannedPort(name, "", True, attrgetter(name), width) for name, width in probes.items()]
    ports.append(PlannedPort("monitor", "monitor", True, attrgetter("bus")))
    ports.append(PlannedPort("alarm", "", False, attrgetter("alarm")))
    name = network.module_name("monitor")
    return PlannedModule(name, lambda: make_monitor(network), tuple((port,) for port in ports))


def control_widths(network: Network) -> dict[str, int]:
    """Bits of ``control`` from the controller to all others, and of each ``report`` to it."""
    gateware = gateware_of(network).controller
    if gateware is None:
        return {}
    return {
        "control": gateware.control_layout(network).size,
        "report": gateware.report_layout(network).size,
    }


def _probes(network: Network, widths: ProbeWidths) -> dict[str, int]:
    """Bits of each of the monitor's probes; none without a monitor."""
    if not network.hardware.is_monitored:
        return {}
    bits = (widths.channels, widths.channels, widths.turns)
    return dict(zip(PROBES, bits, strict=True))


def _control_port(network: Network, controller: ControllerGateware) -> PlannedPort:
    width = controller.control_layout(network).size
    return PlannedPort("control", "", True, attrgetter("control"), width)


def _control_and_report(
    network: Network,
    controller: ControllerGateware,
    part: Callable[[Interface], Interface] = lambda component: component,
) -> list[PortGroup]:
    """What joins a part of a component to the controller to which it reports."""
    control = _control_port(network, controller)
    width = controller.report_layout(network).size
    return [
        (control._replace(member=lambda component: part(component).control),),
        (PlannedPort("report", "", False, lambda component: part(component).report, width),),
    ]


def _serving_ports(
    network: Network, gateware: RouterGateware, port: int | None = None
) -> list[PortGroup]:
    """Ports that serve a node: those of a router at `port`, or those of an interface."""

    def part(component: Interface) -> Interface:
        return component if port is None else gateware.node_side(component, port)

    suffix = "" if port is None else node_suffix(network, port)
    ports = (
        PlannedPort("refused", "", False, lambda component: part(component).refused),
        PlannedPort("inject", "inject", True, lambda component: part(component).inject),
        PlannedPort("eject", "eject", False, lambda component: part(component).eject),
    )
    groups: list[PortGroup] = [(one._replace(suffix=suffix),) for one in ports]
    controller = gateware.controller
    if controller is not None and not controller.routers_report:
        groups += _control_and_report(network, controller, part)
    return groups


def _link_group(
    network: Network, gateware: RouterGateware, kind: RouterKind, port: int
) -> PortGroup:
    """Directions of the link at a router's port: in, out or both."""
    names = gateware.link_names(network, port)
    found: list[PlannedPort] = []
    if port in kind.receiving:
        found.append(_link_port(names.into, True, "i", kind.receiving.index(port)))
    if port in kind.sending:
        found.append(_link_port(names.out, False, "o", kind.sending.index(port)))
    return tuple(found)


def _link_port(name: str, receives: bool, array: str, index: int) -> PlannedPort:
    return PlannedPort(name, "link", receives, lambda component: getattr(component, array)[index])


def _link_pair(into: str, out: str, number: int | None = None) -> PortGroup:
    """Both directions of a link that are members of the component; of several, one of them."""
    if number is None:
        return (
            PlannedPort(into, "link", True, attrgetter(into)),
            PlannedPort(out, "link", False, attrgetter(out)),
        )
    return (
        _link_port(f"{into}{number}", True, into, number),
        _link_port(f"{out}{number}", False, out, number),
    )


def _address_group(network: Network) -> PortGroup:
    return (
        PlannedPort("address", "", True, attrgetter("address"), network.topology.address_width),
    )


def _at_nodes(
    network: Network,
    role: str,
    make: Callable[[Network], Interface] | None,
    groups: list[PortGroup],
) -> PlannedModule:
    """Module that stands between a node and the routers."""
    assert make is not None
    return PlannedModule(network.module_name(role), lambda: make(network), tuple(groups))


class _Planner:
    """Plan of a network while it is made."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._topology = network.topology
        self._gateware = gateware_of(network)
        self._modules: list[PlannedModule] = []
        self._instances: list[PlannedInstance] = []
        self._reports: list[str] = []
        self._identifiers = [
            self._topology.router_identifier(router) for router in range(self._topology.routers)
        ]

    def plan(self) -> WiringPlan:
        network, gateware = self._network, self._gateware
        routers_report = gateware.controller is not None and gateware.controller.routers_report
        reporters = self._identifiers if routers_report else self._labels
        if gateware.controller is not None:
            self._reports = [f"report_{name}" for name in reporters]
        nets = self._link_nets()
        self._routers(routers_report)
        self._link_registers()
        if gateware.interface is not None:
            nets += self._node_nets()
            self._interfaces()
        if network.hardware.is_monitored:
            nets += self._probe_nets()
        if gateware.controller is not None:
            widths = control_widths(network)
            nets.append(Net("control", "", widths["control"]))
            nets += [Net(report, "", widths["report"]) for report in self._reports]
            self._controller()
        if network.hardware.is_monitored:
            self._monitor()
        self._collectives()
        return WiringPlan(
            network_bundles(network),
            tuple(network_ports(network)),
            tuple(self._modules),
            tuple(nets),
            tuple(self._instances),
        )

    @cached_property
    def _labels(self) -> list[str]:
        return [self._topology.label(node) for node in range(self._topology.nodes)]

    @cached_property
    def _link_wires(self) -> list[dict[int, str]]:
        """Net of the channel that leaves each router by each port."""
        network, wires = self._network, self._gateware.link_names
        names = [wires(network, port).wires for port in range(len(self._topology.ports))]
        return [
            {port: f"link_{identifier}_{names[port]}" for port in kind.sending}
            for identifier, kind in zip(self._identifiers, self._kinds, strict=True)
        ]

    @cached_property
    def _kinds(self) -> list[RouterKind]:
        kinds = self._network.router_kinds
        return [kinds[number] for number in self._network.router_number]

    def _end_wires(self, router: int, port: int) -> str:
        """Net of the same channel where it arrives: behind the registers along it, if any."""
        wires = self._link_wires[router][port]
        return wires if self._network.latency(router, port) == 1 else f"{wires}_end"

    def _node_wires(self, node: int, router: int) -> str:
        """Net of the channel from a node to a router, where nodes have interfaces."""
        wires = f"link_node_{self._labels[node]}"
        if self._topology.links_per_node == 1:
            return wires
        return f"{wires}_{self._topology.node_link(router)}"

    def _link_nets(self) -> list[Net]:
        topology = self._topology
        channels = [(r, port) for r, kind in enumerate(self._kinds) for port in kind.sending]
        nets = [(channel, self._link_wires[channel[0]][channel[1]]) for channel in channels]
        nets += [(channel, self._end_wires(*channel)) for channel in self._network.long_links]
        return [
            Net(name, "link", mark=topology.mark if topology.is_link_marked(*channel) else "")
            for channel, name in nets
        ]

    def _node_nets(self) -> list[Net]:
        """Nets of all channels that leave interfaces, and of what joins these to their links."""
        nets: list[Net] = []
        count = self._topology.links_per_node
        for label in self._labels:
            nets.append(Net(f"link_node_{label}", "link"))
            if count > 1:
                nets.append(Net(f"link_chooser_{label}", "link"))
                nets += [Net(f"link_node_{label}_{number}", "link") for number in range(count)]
        return nets

    def _probe_nets(self) -> list[Net]:
        nets: list[Net] = []
        for identifier, kind in zip(self._identifiers, self._kinds, strict=True):
            widths = _probes(self._network, probe_widths(kind))
            nets += [Net(f"probe_{p}_{identifier}", "", bits) for p, bits in widths.items() if bits]
        return nets

    def _routers(self, routers_report: bool) -> None:
        network, topology = self._network, self._topology
        modules = [router_module(network, kind) for kind in network.router_kinds]
        self._modules += modules
        probes = [
            [port.name for port in module.ports if port.name.startswith("probe_")]
            for module in modules
        ]
        senders, sending_ports = topology.senders
        for router, kind in enumerate(self._kinds):
            number = network.router_number[router]
            connections: dict[str, Connection] = {}
            connections |= self._gateware.constants(network, router)
            if self._gateware.interface is None:
                for port in kind.node_ports:
                    node = int(topology.local_nodes[router, port])
                    connections |= self._at_node(node, node_suffix(network, port))
            elif self._gateware.controller is not None:
                connections["control"] = "control"
            connections |= {name: f"{name}_{self._identifiers[router]}" for name in probes[number]}
            if routers_report:
                connections |= {"control": "control", "report": self._reports[router]}
            for port in kind.links:
                names = self._gateware.link_names(network, port)
                if (sender := int(senders[router, port])) >= 0:
                    wires = self._end_wires(sender, int(sending_ports[router, port]))
                    connections[names.into] = wires
                elif port in kind.receiving:
                    node = int(topology.attached[router, port])
                    connections[names.into] = self._node_wires(node, router)
                if port in kind.sending:
                    connections[names.out] = self._link_wires[router][port]
            name = f"router_{self._identifiers[router]}"
            self._instances.append(PlannedInstance(modules[number], name, connections))

    def _at_node(self, node: int, suffix: str = "") -> dict[str, Connection]:
        """What is connected to the ports that serve a node."""
        name = self._network.port_names[node]
        connections: dict[str, Connection] = {
            f"{port}{suffix}": f"{port}_{name}" for port in ("refused", "inject", "eject")
        }
        controller = self._gateware.controller
        if controller is not None and not controller.routers_report:
            connections |= {"control": "control", "report": self._reports[node]}
        return connections

    def _link_registers(self) -> None:
        network = self._network
        modules = {each: link_module(network, each) for each in link_latencies(network)}
        self._modules += modules.values()
        for router, port in network.long_links:
            start, end = self._link_wires[router][port], self._end_wires(router, port)
            name = f"along_{start.removeprefix('link_')}"
            module = modules[network.latency(router, port)]
            self._instances.append(PlannedInstance(module, name, {"i": start, "o": end}))

    def _interfaces(self) -> None:
        """Interfaces of all nodes, and what joins each to its links, where it has several."""
        network, topology = self._network, self._topology
        module = interface_module(network)
        chooser = chooser_module(network) if topology.links_per_node > 1 else None
        self._modules += [module, *([chooser] if chooser is not None else [])]
        routers, ports = np.nonzero(topology.attached >= 0)
        nodes = topology.attached[routers, ports].tolist()
        links: dict[int, list[str]] = {}
        for node, router, port in sorted(zip(nodes, routers.tolist(), ports.tolist(), strict=True)):
            links.setdefault(node, []).append(self._link_wires[router][port])
        for node, incoming in links.items():
            label = self._labels[node]
            address = Const(topology.address(node), topology.address_width)
            into, out = incoming[0], f"link_node_{label}"
            if chooser is not None:
                into = f"link_chooser_{label}"
            connections: dict[str, Connection] = {"address": address, **self._at_node(node)}
            connections |= {"i": into, "o": out}
            self._instances.append(PlannedInstance(module, f"node_{label}", connections))
            if chooser is not None:
                joined: dict[str, Connection] = {"control": "control", "address": address}
                joined |= {"sent": out, "given": into}
                for number, wires in enumerate(incoming):
                    joined |= {f"i{number}": wires, f"o{number}": f"{out}_{number}"}
                self._instances.append(PlannedInstance(chooser, f"chooser_{label}", joined))

    def _controller(self) -> None:
        module = controller_module(self._network)
        self._modules.append(module)
        connections: dict[str, Connection] = {"control": "control"}
        outside = {port.key for port in network_wide_ports(self._network)}
        connections |= {port.key: port.key for port in module.ports if port.key in outside}
        connections["reports"] = self._reports
        self._instances.append(PlannedInstance(module, "controller", connections))

    def _monitor(self) -> None:
        module = monitor_module(self._network)
        self._modules.append(module)
        connections: dict[str, Connection] = {
            probe: [
                wires
                for instance in self._instances[: self._topology.routers]
                if isinstance(wires := instance.connections.get(f"probe_{probe}"), str)
            ]
            for probe in PROBES
        }
        connections["refused"] = [f"refused_{name}" for name in self._network.port_names]
        connections |= {"monitor": "monitor", "alarm": "alarm"}
        self._instances.append(PlannedInstance(module, "monitor", connections))

    def _collectives(self) -> None:
        """Trees of groups, which no wire joins to anything else in the network."""
        for group in self._network.collective_groups:
            module = collective_module(self._network, group)
            self._modules.append(module)
            connections: dict[str, Connection] = {
                port.key: own.key
                for port, own in zip(module.ports, group_ports(self._network, group), strict=True)
            }
            self._instances.append(PlannedInstance(module, group.name, connections))
