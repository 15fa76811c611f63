"""Stream adapters between a node and its network, each usable alone."""

from .converters import (
    Ejection,
    Gatherer,
    Injection,
    Splitter,
    header_of,
    node_layout,
    plane_layout,
)
from .crossings import (
    ClockWatch,
    Crossing,
    EventCrossing,
    LinkResets,
    MesochronousCrossing,
    PhaseRing,
    ResetRelease,
)
from .guards import EjectionGuard, InjectionGuard
from .node_adapter import NodeAdapter

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
