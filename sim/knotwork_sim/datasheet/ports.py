"""Ports of a network's Verilog, and an instance of it that a design may take."""

import re
from typing import NamedTuple

from knotwork.emit import ports as emitted
from knotwork.emit.ports import network_wide_ports, port_name
from knotwork.network import Network

from .content import Data

NODE = "<i>"
"""Stands for a node's index in the ports of a node."""


class Port(NamedTuple):
    """Port of the top module.

    Members
    -------
    name : str
        Its name; of a node's, with `NODE` in place of the index.
    way : str
        ``input`` or ``output``.
    bits : int
        Its width.
    """

    name: str
    way: str
    bits: int


def shared_ports(network: Network) -> list[Port]:
    """Ports that the network has once, clock and reset first."""
    return [Port("clk", "input", 1), Port("rst", "input", 1), *_listed(network_wide_ports(network))]


def node_ports(network: Network) -> list[Port]:
    """Ports that it has for every node, named with `NODE`."""
    first = rf"^([sm]_axis|refused)_{port_name(network, 0)}(?=_|$)"
    found = _listed(emitted.node_ports(network, 0))
    return [port._replace(name=re.sub(first, rf"\1_{NODE}", port.name)) for port in found]


def _listed(ports: tuple[dict[str, int], dict[str, int]]) -> list[Port]:
    """Inputs, then outputs."""
    ways = zip(ports, ("input", "output"), strict=True)
    return [Port(name, way, bits) for some, way in ways for name, bits in some.items()]


def instance(network: Network) -> str:
    """Verilog that declares a wire for each port and places the network."""
    ports = shared_ports(network)
    for node in range(network.topology.nodes):
        ports += _listed(emitted.node_ports(network, node))
    wires = [f"wire {_range(port.bits)}{port.name};" for port in ports]
    pins = [f"    .{port.name}({port.name})" for port in ports]
    return "\n".join([*wires, "", f"{network.name} network (", ",\n".join(pins), ");", ""])


def _range(bits: int) -> str:
    return f"[{bits - 1}:0] " if bits > 1 else ""


def ports(network: Network, words: str) -> Data:
    """Ports and what makes them; the page writes the instance from the same."""
    return {
        "command": f"knotwork generate {words} -o build/{network.name}",
        "top": network.name,
        "shared": [list(port) for port in shared_ports(network)],
        "node": [list(port) for port in node_ports(network)],
    }
