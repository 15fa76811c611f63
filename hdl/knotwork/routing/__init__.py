"""Rules that say, at a router, where a packet goes next; the deadlock check."""

from ..topology import TOPOLOGIES, Topology
from ..topology.altered import Classed
from .adaptive import Adaptive
from .altered import classed_routing, is_alterable
from .base import Routing
from .deadlock import DeadlockReport, check_deadlock
from .generated import GENERAL as GENERATED
from .registry import add_routing, routings_of
from .romm import Romm
from .rules import Hop, Rule, Turn, lane
from .table_file import Table
from .valiant import Valiant

GENERAL: tuple[type[Routing], ...] = (*GENERATED, Table, Adaptive, Valiant, Romm)
"""Routings of every direct network where its names are free; generated, or by a user's table."""


def all_routings_of(network: str | type[Topology]) -> dict[str, type[Routing]]:
    """Routings of a network by name, and those that any network can have, where it can."""
    if isinstance(network, str) and network not in TOPOLOGIES:
        return {}
    kind = TOPOLOGIES[network] if isinstance(network, str) else network
    if issubclass(kind, Classed) and kind.unaltered_class is not None:
        unaltered = all_routings_of(kind.unaltered_class)
        return {
            name: classed_routing(each) for name, each in unaltered.items() if is_alterable(each)
        }
    general = GENERAL if kind.is_direct else ()
    named = routings_of(network)
    return named | {routing.name: routing for routing in general if routing.name not in named}


__all__ = [
    "DeadlockReport",
    "Hop",
    "Routing",
    "Rule",
    "Turn",
    "add_routing",
    "all_routings_of",
    "check_deadlock",
    "lane",
    "routings_of",
]
