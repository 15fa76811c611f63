"""Systems as they are emitted."""

from knotwork.emit.system.nodes import node_module, node_modules
from knotwork.emit.system.ports import node_ports
from knotwork.system import System


def ports_of(words):
    """Bits of each port of a system's nodes, and whether it is an input."""
    system = System.from_words(words.split())
    shells = node_modules(system)
    return {
        port.name: (port.width, port.is_input)
        for node in system.nodes
        for port in node_ports(system, node, shells.get(node_module(system, node)))
    }
