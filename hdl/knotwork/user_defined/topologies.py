"""Check of a topology that a user wrote: its arrays, addresses and names must agree."""

import dataclasses
from inspect import getattr_static

from ..errors import ConfigurationError
from ..parameters import ROUTER_PARAMETERS
from ..parameters.kinds import Kind
from ..shipped import is_shipped
from ..topology import TOPOLOGIES, Topology
from .links import LinkCheck
from .member_check import abbreviate, declared_name
from .names import NAME, NameCheck, SizeCheck
from .routings import require_routing

_CHECKED = "_knotwork_checked"

RESERVED = (
    *("network", "routing", "router", "name"),
    *("traffic", "permutation", "matrix", "replay", "rate", "class_rates", "burst", "burst_rate"),
    *("packets", "length", "multicast_share", "broadcast_share", "reply", "service", "members"),
    *("bubble", "stall", "pauses", "seed"),
)
"""Keys that verbs take with every network: what chooses it, and its traffic."""

_NEEDED = ("nodes", "ports", "neighbours")


def is_inherited(kind: type[Topology], member: str) -> bool:
    """Whether a class has a member from `Topology` as it stands there."""
    return getattr_static(kind, member) is getattr_static(Topology, member)


def require_sound_topology(topology: Topology) -> None:
    """Refuse a topology whose members contradict one another; once for each that is made.

    Those of the registry that are Knotwork's own are taken as they are.

    Raises
    ------
    ConfigurationError
        Names the router and the port, where it is about one.
    """
    if is_shipped(type(topology)) or _CHECKED in vars(topology):
        return
    require_sound_class(type(topology))
    for check in (SizeCheck, LinkCheck, NameCheck):
        check(topology).run()
    vars(topology)[_CHECKED] = True


def require_sound_class(kind: type[Topology]) -> None:
    """Refuse a class of topologies without a name of its own, or with keys that have no kind.

    Raises
    ------
    ConfigurationError
        Names the class, and the key.
    """
    name = declared_name(kind)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ConfigurationError(
            f"{kind.__name__}: name must be letters, digits and _, as circulant is, not {name!r}"
        )
    if name in TOPOLOGIES.shipped:
        raise ConfigurationError(
            f"{kind.__name__}: name must not be that of one of Knotwork's networks, as {name!r} is"
        )
    reserved = set(RESERVED).union(*(router.keys() for router in ROUTER_PARAMETERS.values()))
    for field in dataclasses.fields(kind):
        if field.name in reserved:
            raise ConfigurationError(
                f"{name}: a key must not have the name of a routing, hardware or traffic key, as "
                f"{field.name} has"
            )
        if not isinstance(field.metadata.get("kind"), Kind):
            raise ConfigurationError(
                f"{name}: {field.name} must be declared by parameter(...), as in "
                f"{field.name}: int = parameter(Integer(2, 64), help='...')"
            )
    if not isinstance(kind.routings, tuple):
        raise ConfigurationError(
            f"{name}: routings must be a tuple of classes of Routing, not "
            f"{abbreviate(kind.routings)}"
        )
    for routing in kind.routings:
        require_routing(routing, name)
    missing = [member for member in _NEEDED if is_inherited(kind, member)]
    if missing:
        raise ConfigurationError(
            f"{name}: {missing[0]} must be given, a property of {kind.__name__}"
        )
