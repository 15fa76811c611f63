"""Router classes that can carry a routing: its own, and those that the key ``router`` names."""

from collections.abc import Callable

from ..errors import ConfigurationError
from ..topology import Topology
from ..wording import not_one_of
from .base import Routing
from .deflection import deflection_routing

Adapter = Callable[[type[Routing], Topology], type[Routing]]

ADAPTERS: dict[str, Adapter] = {"deflection": deflection_routing}
"""Router classes that can carry the routings of others: what adapts a routing to them."""


def router_names(routing: type[Routing]) -> tuple[str, ...]:
    """Words of the key ``router`` that go with a routing, the default first."""
    return (routing.router_class, *(ADAPTERS if routing.is_adaptable else ()))


def with_router(routing: type[Routing], router: str | None, topology: Topology) -> type[Routing]:
    """Routing in routers of the class named; its own class if None.

    Raises
    ------
    ConfigurationError
        The routing does not go with such routers.
    """
    default, *others = router_names(routing)
    if router is None or router == default:
        return routing
    if router not in others:
        raise ConfigurationError(
            not_one_of(
                f"{topology.name}: router",
                [default, *others],
                router,
                rule=f"one of {', '.join([default, *others])} with routing={routing.name}",
            )
        )
    return ADAPTERS[router](routing, topology)
