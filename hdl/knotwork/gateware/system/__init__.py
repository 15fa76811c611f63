"""Systems as hardware: what stands at a node, and the whole as one component."""

from .bus_node import BusNode
from .fabric import SystemFabric
from .node_parts import has_part, node_part
from .sides import Side, sides_of

__all__ = ["BusNode", "Side", "SystemFabric", "has_part", "node_part", "sides_of"]
