"""Networks in a user's system: nodes' adapters and buses, the address map, the planes they need."""

from .bus import BusParameters
from .node import MEMORY_MAPPED, Node, NodeParameters
from .payload import Payload
from .planes import REQUESTS, RESPONSES, STREAMS, Plane
from .region import Region
from .settings import SystemParameters
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
