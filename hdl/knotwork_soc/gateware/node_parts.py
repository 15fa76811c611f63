"""What stands at each node of a system, as a component."""

from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork.untyped import Interface

from ..node import Node
from ..planes import STREAMS
from ..system import System
from .adapters import NodeAdapter, header_of
from .bus_node import BusNode

NODE_CLOCK = "node"
"""Domain of a node's own clock."""


def has_part(system: System, node: Node) -> bool:
    """Whether something stands between a node's ports and the planes."""
    if node.is_stream:
        return node.has_own_clock or not system.payload.is_plain(node.width)
    return bool(node.side)


def node_part(system: System, node: Node) -> Interface:
    """Component that stands at a node.

    Its members `to_plane` and `from_plane` are the node's ends of its planes. A node with streams
    has `inject` and `eject`, and what else `NodeAdapter` has; others have `bus`. Its domains are
    ``sync``, the network's, and ``node`` of a node with its own clock.
    """
    domain = NODE_CLOCK if node.has_own_clock else "sync"
    if not node.is_stream:
        return BusNode(system=system, node=node, domain=domain)
    network = system.plane(STREAMS).network
    return NodeAdapter(
        width=node.width,
        payload=system.payload,
        inject_header=header_of(inject_layout(network)),
        eject_header=header_of(eject_layout(network)),
        domain=domain,
        mesochronous=node.is_mesochronous,
    )
