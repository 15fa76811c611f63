"""Rules that say, at a router, where a packet goes next; the deadlock check."""

from importlib import import_module

from ..topology import TOPOLOGIES
from .base import Routing
from .deadlock import DeadlockReport, check_deadlock
from .rules import Hop, Rule, Turn, lane


def routings_of(network: str) -> dict[str, type[Routing]]:
    """Routings of a network by name, the default first; none for one outside the registry."""
    if network not in TOPOLOGIES:
        return {}
    module = import_module(f"{__name__}.{network}")
    return {routing.name: routing for routing in module.ROUTINGS}


__all__ = [
    "DeadlockReport",
    "Hop",
    "Routing",
    "Rule",
    "Turn",
    "check_deadlock",
    "lane",
    "routings_of",
]
