"""What there is: the networks of the registry, their keys, ranges and routings."""

import dataclasses
from typing import Any

from .network import ROUTER_PARAMETERS
from .parameters import Parameters
from .routing import routings_of
from .topology import TOPOLOGIES


def first_line(documented: Any) -> str:
    """First line of a docstring, without its full stop."""
    return (documented.__doc__ or "").partition("\n")[0].rstrip(".")


def key_list(parameters: type[Parameters]) -> list[dict[str, Any]]:
    """Keys of a set of parameters with their rules and defaults."""
    keys = []
    for key, field in parameters.keys().items():
        required = field.default is dataclasses.MISSING
        keys.append(
            {
                "key": key,
                "range": field.metadata["kind"].rule,
                "required": required,
                "default": None if required else field.default,
                "help": field.metadata["help"],
            }
        )
    return keys


def network_list() -> list[dict[str, Any]]:
    """Every network of the registry: keys, routings, hardware keys."""
    known = []
    for name, topology in TOPOLOGIES.items():
        routings = routings_of(name)
        default = next(iter(routings.values()))
        known.append(
            {
                "name": name,
                "summary": first_line(topology),
                "keys": key_list(topology),
                "routings": list(routings),
                "default_routing": default.name,
                "hardware_keys": key_list(ROUTER_PARAMETERS[default.router]),
            }
        )
    return known
