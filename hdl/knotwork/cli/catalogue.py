"""What there is: the networks of the registry, their keys, ranges and routings."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..parameters import ROUTER_PARAMETERS, Parameters
from ..routing import Routing, routings_of
from ..routing.deflection import router_names
from ..topology import TOPOLOGIES


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


def routing_keys(routing: type[Routing], default: type[Routing]) -> list[dict[str, Any]]:
    """Keys that a routing has and the default one does not: its own, and its routers'."""
    common = ROUTER_PARAMETERS[default.router].keys()
    hardware = key_list(ROUTER_PARAMETERS[routing.router])
    return key_list(routing.options_class) + [key for key in hardware if key["key"] not in common]


def network_list() -> list[dict[str, Any]]:
    """Every network of the registry: keys, routings, hardware keys of its classes of routers."""
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
                "routing_keys": {
                    routing.name: routing_keys(routing, default) for routing in routings.values()
                },
                "hardware_keys": key_list(ROUTER_PARAMETERS[default.router]),
                "router_keys": {
                    router: key_list(ROUTER_PARAMETERS[router])
                    for router in router_names(default)[1:]
                },
            }
        )
    return known


def network_tables(known: list[dict[str, Any]]) -> Iterator[tuple[str, tuple[str, ...], list]]:
    """Tables of what `network_list` gave: title, columns and rows of each."""
    columns = ("network", "key", "range", "default", "what it is")
    rows: list[tuple[Any, ...]] = []
    hardware: dict[str, list[dict[str, Any]]] = {}
    for entry in known:
        rows.append((entry["name"], "", "", "", entry["summary"]))
        rows.extend(("", *_key_cells(key)) for key in entry["keys"])
        rows.append(("", "routing", entry["routings"], entry["default_routing"], "routing rule"))
        rows.extend(("", *cells) for cells in _routing_rows(entry["routing_keys"]))
        if entry["router_keys"]:
            choices = ["packet", *entry["router_keys"]]
            rows.append(("", "router", choices, "packet", "class of routers"))
        hardware.setdefault(str(entry["hardware_keys"]), []).append(entry)
    yield "Networks", columns, rows
    for entries in hardware.values():
        title = "Hardware keys of " + ", ".join(entry["name"] for entry in entries)
        yield title, columns[1:], [_key_cells(key) for key in entries[0]["hardware_keys"]]
    others = {router: keys for entry in known for router, keys in entry["router_keys"].items()}
    for router, keys in others.items():
        title = f"Hardware keys with router={router}"
        yield title, columns[1:], [_key_cells(key) for key in keys]


def _routing_rows(routing_keys: dict[str, list[dict[str, Any]]]) -> list[tuple[Any, ...]]:
    """Cells of the routings' keys: each once, with the routings that have it where not all do."""
    having: dict[tuple[Any, ...], list[str]] = {}
    for routing, keys in routing_keys.items():
        for key in keys:
            having.setdefault(_key_cells(key), []).append(routing)
    rows = []
    for (*cells, told), routings in having.items():
        only = "" if len(routings) == len(routing_keys) else f" (routing={', '.join(routings)})"
        rows.append((*cells, told + only))
    return rows


def _key_cells(key: dict[str, Any]) -> tuple[Any, ...]:
    default = "(required)" if key["required"] else key["default"]
    return (key["key"], key["range"], default, key["help"])
