"""The manifest of a system: what a program needs to know of its Verilog."""

from collections.abc import Sequence

from knotwork import __version__
from knotwork.emit.addresses import header_names
from knotwork.emit.manifest import MANIFEST_SECTIONS, manifest
from knotwork.emit.ports import eject_prefix, inject_prefix, refused_port
from knotwork.emit.source import verilog_files
from knotwork.version import LICENCE

from ..gateware.sides import sides_of
from ..node import Node
from ..system import System
from .nodes import node_module, node_modules
from .ports import bus_prefix, clock_ports, node_clock, node_ports, outside_ports


def system_manifest(system: System, files: Sequence[str] = ()) -> dict[str, object]:
    """What a program needs to know of the Verilog: planes, nodes with their ports, addresses.

    Parameters
    ----------
    system : System
        What the Verilog is of.
    files : sequence of str
        Names of the Verilog files; ``<name>.v`` if there are none.
    """
    if system.is_plain:
        return manifest(system.network, files)
    network, shells = system.network, node_modules(system)
    level = "low" if system.settings.is_reset_low else "high"
    is_synchronous = not system.settings.is_reset_asynchronous
    clocks = dict(clock_ports(system))
    answer: dict[str, object] = {
        "tool": "knotwork",
        "version": __version__,
        "license": LICENCE,
        "network": network.topology.name,
        "parameters": network.parameters,
        "system": system.told,
        "top": system.name,
        "files": verilog_files(system.name, files),
        "headers": list(header_names(system.name)),
        "clock": {"port": "clk", "edge": "rising"},
        "reset": {"port": clocks["clk"], "active": level, "synchronous": is_synchronous},
        "in_order": network.routing.in_order,
        "widths": {
            "data": network.hardware.data_width,
            "address": network.topology.address_width,
        },
        "planes": [
            {
                "name": plane.name,
                "module": plane.network.name,
                "data_width": plane.network.hardware.data_width,
                "ports": [plane.outside(port.name) for port in outside_ports(plane)],
                **MANIFEST_SECTIONS[network.router_class](plane.network),
            }
            for plane in system.planes
        ],
    }
    if system.map:
        answer["bus"] = system.bus.as_dict()
        answer["map"] = [{"name": name, **region.as_dict()} for name, region in system.map.items()]
    nodes: list[dict[str, object]] = []
    for node in system.nodes:
        ports = node_ports(system, node, shells.get(node_module(system, node)))
        clock = node_clock(system, node)
        nodes.append(
            {
                "index": node.index,
                "label": network.topology.label(node.index),
                "address": network.topology.address(node.index),
                "bus": node.bus,
                **({"side": node.side} if node.side else {}),
                **({"clock": clock, "reset": clocks[clock]} if ports else {}),
                **({"mesochronous": True} if node.is_mesochronous else {}),
                **_port_prefixes(system, node),
                "ports": {
                    port.name: {"bits": port.width, "direction": "in" if port.is_input else "out"}
                    for port in ports
                },
            }
        )
    return answer | {"nodes": nodes}


def _port_prefixes(system: System, node: Node) -> dict[str, object]:
    """Prefixes of a node's ports."""
    if node.side:
        return {"prefix": bus_prefix(system, node)}
    if not (node.is_stream and sides_of(node)):
        return {}
    network, index = system.network, node.index
    return {
        "inject": inject_prefix(network, index),
        "eject": eject_prefix(network, index),
        "refused": refused_port(network, index),
    }
