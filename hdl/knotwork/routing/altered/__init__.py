"""Routings of altered networks, derived from those of the unaltered ones."""

from .classed import ClassedRouting, classed_routing
from .served import (
    DerivedRouting,
    SeveralNodesRouting,
    is_alterable,
    several_nodes_routing,
    unaltered_topology,
)

__all__ = [
    "ClassedRouting",
    "DerivedRouting",
    "SeveralNodesRouting",
    "classed_routing",
    "is_alterable",
    "several_nodes_routing",
    "unaltered_topology",
]
