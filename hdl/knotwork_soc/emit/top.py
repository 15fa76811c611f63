"""Top of a system, as other people's tools see it."""

from collections.abc import Sequence
from functools import partial

from knotwork.emit.flows import BusInterface, Top
from knotwork.emit.flows.top import (
    AddressRegion,
    network_interfaces,
    router_cells,
    stream_interfaces,
)
from knotwork.emit.source import verilog_files
from knotwork.wording import plural

from ..node import Node
from ..system import System
from .nodes import node_module, node_modules
from .ports import (
    bus_prefix,
    clock_ports,
    mesochronous_clocks,
    node_clock,
    node_ports,
    outside_ports,
)
from .verilog import system_header


def system_description(system: System) -> str:
    """What a system is, for people."""
    used = sum(node.bus != "none" for node in system.nodes)
    return f"Network-on-chip with ports of {plural(used, 'node')}"


def system_top(system: System, files: Sequence[str] = ()) -> Top:
    """Its clocks, the ports and buses of its nodes, its address map.

    Parameters
    ----------
    system : System
        System.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    shells = node_modules(system)
    ports = [
        port._replace(name=plane.outside(port.name))
        for plane in system.planes
        for port in outside_ports(plane)
    ]
    for node in system.nodes:
        ports += node_ports(system, node, shells.get(node_module(system, node)))
    return Top(
        name=system.name,
        description=system_description(system),
        header=partial(system_header, system),
        files=verilog_files(system.name, files),
        clocks=dict(clock_ports(system)),
        mesochronous=mesochronous_clocks(system),
        is_reset_low=system.settings.is_reset_low,
        inputs={port.name: port.width for port in ports if port.is_input},
        outputs={port.name: port.width for port in ports if not port.is_input},
        interfaces=(
            *(each for node in system.nodes for each in node_interfaces(system, node)),
            *(
                each
                for plane in system.planes
                for each in network_interfaces(plane.network, plane.outside)
            ),
        ),
        address_width=system.bus.address_width,
        data_width=system.bus.data_width,
        regions={
            name: AddressRegion(
                region.base, region.size, bus_prefix(system, system.nodes[region.node])
            )
            for name, region in system.map.items()
        },
        routers=tuple(
            f"{plane.name}/{cell}"
            for plane in system.planes
            for cell in router_cells(plane.network)
        ),
    )


def node_interfaces(system: System, node: Node) -> tuple[BusInterface, ...]:
    """Buses of a node, at its clock."""
    clock = node_clock(system, node)
    if node.is_stream:
        return stream_interfaces(system.network, node.index, clock)
    if not node.side:
        return ()
    return (
        BusInterface(
            prefix=bus_prefix(system, node),
            bus=node.bus,
            is_driven=node.is_initiator,
            clock=clock,
            is_mapped=node.is_initiator,
        ),
    )
