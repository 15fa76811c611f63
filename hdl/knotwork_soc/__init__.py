"""Networks in a user's system: nodes' adapters and buses, the address map, the planes they need."""

from .parameters import MEMORY_MAPPED, BusParameters, Node, NodeParameters, Region, SystemParameters
from .payload import Payload
from .planes import REQUESTS, RESPONSES, STREAMS, Plane
from .system import System

__all__ = [
    "MEMORY_MAPPED",
    "REQUESTS",
    "RESPONSES",
    "STREAMS",
    "BusParameters",
    "Node",
    "NodeParameters",
    "Payload",
    "Plane",
    "Region",
    "System",
    "SystemParameters",
]
