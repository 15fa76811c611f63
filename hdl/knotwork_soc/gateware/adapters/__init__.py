"""Stream adapters between a node and its network, each usable alone."""

from .clock_watch import ClockWatch
from .crossing import Crossing, EventCrossing
from .ejection import Ejection
from .gatherer import Gatherer
from .guards import EjectionGuard, InjectionGuard
from .injection import Injection
from .layouts import header_of, node_layout, plane_layout
from .mesochronous import MesochronousCrossing, PhaseRing
from .node_adapter import NodeAdapter
from .resets import LinkResets, ResetRelease
from .splitter import Splitter

__all__ = [
    "ClockWatch",
    "Crossing",
    "Ejection",
    "EjectionGuard",
    "EventCrossing",
    "Gatherer",
    "Injection",
    "InjectionGuard",
    "LinkResets",
    "MesochronousCrossing",
    "NodeAdapter",
    "PhaseRing",
    "ResetRelease",
    "Splitter",
    "header_of",
    "node_layout",
    "plane_layout",
]
