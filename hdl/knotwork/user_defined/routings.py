"""Check of the class of a routing that a user wrote."""

from ..errors import ConfigurationError
from ..routing import Routing
from ..shipped import is_shipped
from ..topology import Topology
from .member_check import abbreviate, declared_name
from .names import NAME


def require_routing(routing: object, owner: str) -> type[Routing]:
    """Class of a routing; a user's must have a name and a rule.

    Raises
    ------
    ConfigurationError
        It has not, or is no routing.
    """
    if not isinstance(routing, type) or not issubclass(routing, Routing):
        raise ConfigurationError(
            f"{owner}: routing must be a class of Routing, not {abbreviate(routing)}"
        )
    if is_shipped(routing):
        return routing
    name = declared_name(routing)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ConfigurationError(
            f"{routing.__name__}: name must be letters, digits and _, as shortest is, not "
            f"{abbreviate(name)}"
        )
    missing = sorted(routing.__abstractmethods__)
    if missing:
        raise ConfigurationError(
            f"{owner}: routing={name} must have a {missing[0]}, a function of parameters, router, "
            f"port, channel_class and destination"
        )
    return routing


def require_fit(routing: Routing, topology: Topology) -> None:
    """Refuse a user's network for which routers of the routing's class cannot be made.

    Raises
    ------
    ConfigurationError
        Names the router class, or the routers that are not nodes.
    """
    owner = f"{topology.name}: routing={routing.name}"
    if routing.is_trusted:
        return
    if is_shipped(type(topology)):
        return
    if routing.settled is not None and not routing.is_adaptable:
        raise ConfigurationError(
            f"{owner} must be of router class {Routing.router_class} in a network of your own, not "
            f"{routing.router_class}"
        )
    if (topology.attached >= 0).any():
        raise ConfigurationError(
            f"{owner} must have a node at every router, not nodes that are attached to ports"
        )
