"""Ports of a network's Verilog, and an instance of it that a design may take."""

from typing import NamedTuple

from knotwork.emit.ports import eject_prefix, inject_prefix, network_ports, refused_port
from knotwork.network import Network

from .told import Data

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
    of_node = node_ports(network)
    nodes = range(network.topology.nodes)
    theirs = {port.name.replace(NODE, str(node)) for node in nodes for port in of_node}
    ports = [Port("clk", "input", 1), Port("rst", "input", 1), *_ports(network)]
    return [port for port in ports if port.name not in theirs]


def node_ports(network: Network) -> list[Port]:
    """Ports that it has for every node, named with `NODE`."""
    own = f"{inject_prefix(0)}_", f"{eject_prefix(0)}_", refused_port(0)
    first = [
        port for port in _ports(network) if port.name.startswith(own[:2]) or port.name == own[2]
    ]
    return [port._replace(name=port.name.replace("0", NODE, 1)) for port in first]


def _ports(network: Network) -> list[Port]:
    """All ports but clock and reset."""
    into, out = network_ports(network)
    ways = ((into, "input"), (out, "output"))
    return [Port(name, way, bits) for ports, way in ways for name, bits in ports.items()]


def instance(network: Network) -> str:
    """Verilog that declares a wire for each port and places the network."""
    ports, of_node = shared_ports(network), node_ports(network)
    for node in range(network.topology.nodes):
        ports += [port._replace(name=port.name.replace(NODE, str(node))) for port in of_node]
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
