"""Keys of a network: its topology's, its routing's and its router class's."""

import dataclasses
from collections.abc import Callable, Mapping

from ..errors import ConfigurationError
from ..parameters import IDENTIFIER, ROUTER_PARAMETERS, Choice, parameter
from ..parameters.options import OPTIONS, Option
from ..topology import TOPOLOGIES, Topology
from ..topology.altered import ALTERATIONS
from ..topology.altered.added_ports import CLASSES, NODES_PER_ROUTER
from ..topology.altered.surviving import DEAD
from ..wording import not_one_of
from . import Routing, all_routings_of, routings_of
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


Keys = dict[str, dataclasses.Field]
"""Declarations by key: kind, meaning and default, as `parameter` makes them."""

_DEAD = "routers and links that are left out"
_NAME = "name of the top module (default: states what is not default)"


def network_keys(name: str, routing: object = None, router: object = None) -> Keys:
    """Keys of a network of the registry, with what the keys ``routing`` and ``router`` name.

    Parameters
    ----------
    name : str
        Name of its topology.
    routing, router : str, optional
        Values of these keys; what is no such value counts as unnamed.
    """
    routings = all_routings_of(name)
    chosen = _named(routings, routing)
    classes = router_names(chosen)
    other = router if isinstance(router, str) and router in classes[1:] else None
    keys = TOPOLOGIES[name].keys()
    keys |= {"routing": _choice(tuple(routings), "routing rule")}
    keys |= {"router": _choice(classes, "router class")}
    if other is None:
        keys |= chosen.options_class.keys()
    keys |= ROUTER_PARAMETERS[other or chosen.router_class].keys()
    if can_be_altered(name) and (other or chosen.router_class) == Routing.router_class:
        keys |= {
            "nodes_per_router": parameter(NODES_PER_ROUTER, help="nodes per router", default=1),
            "dead": parameter(DEAD, help=_DEAD, default=None),
            "classes": parameter(CLASSES, help="classes of traffic", default=1),
        }
    return keys | {"name": parameter(IDENTIFIER, help=_NAME, default=None)}


def option_keys(
    network: str | Topology, routing: object, keys: Mapping[str, object]
) -> dict[str, object]:
    """Values of the keys of `parameters.options.OPTIONS` that a network has.

    Parameters
    ----------
    network : str or Topology
        Name of its topology, with all its keys in `keys`; or the topology.
    routing : object
        Value of the key ``routing``. It is an option where the routing is generated.
    keys : mapping
        Values of its other keys.
    """
    found = dict(keys)
    kind = type(network) if isinstance(network, Topology) else network
    if isinstance(network, Topology):
        known = network.as_dict()
        found |= {key: known[key] for key in ALTERATIONS if key in known}
        if network.link_latency is not None:
            found["latency"] = int(network.link_latency.max())
    is_general = isinstance(routing, str) and routing in all_routings_of(kind)
    if is_general and routing not in routings_of(kind):
        found["routing"] = routing
    return found


def options_of(name: str) -> list[Option]:
    """Options that a network of the registry can have."""
    known = all_network_keys(name).keys()
    generated = all_routings_of(name).keys() - routings_of(name).keys()
    lacking = set() if generated else {"routing"}
    return [
        option
        for option in OPTIONS
        if option.key in known - lacking or (option.key == "latency" and "file" in known)
    ]


def can_be_altered(name: str) -> bool:
    """Whether a network can be altered: Knotwork's own whose routers serve nodes."""
    return name in TOPOLOGIES.shipped and TOPOLOGIES[name].is_direct


def all_network_keys(name: str) -> Keys:
    """Keys of a network with any of its routings and router classes."""
    keys: Keys = {}
    for routing, kind in all_routings_of(name).items():
        for router in router_names(kind):
            keys |= network_keys(name, routing, router)
    first = TOPOLOGIES[name].keys()
    return {key: keys[key] for key in [*first, *(key for key in keys if key not in first)]}


def key_hint(name: str, key: str, routing: object) -> str:
    """Hint at the end of an error about a key: the routers or routings of the network that have it.

    Empty where none has it; `routing` is the one that was named.
    """
    routings = all_routings_of(name)
    routers = router_names(_named(routings, routing))
    for chooser, words, keys in (
        ("router", routers, [network_keys(name, routing, each) for each in routers]),
        ("routing", list(routings), [network_keys(name, each) for each in routings]),
    ):
        having = [word for word, known in zip(words, keys, strict=True) if key in known]
        if having:
            return f"; {key} goes with {chooser}={' or '.join(having)}"
    return ""


def _named(routings: dict[str, type[Routing]], routing: object) -> type[Routing]:
    if isinstance(routing, str) and routing in routings:
        return routings[routing]
    return next(iter(routings.values()))


def _choice(words: tuple[str, ...], meaning: str) -> dataclasses.Field:
    """Declaration of a key with these words, the default first."""
    return parameter(Choice(words), help=meaning, default=words[0])
