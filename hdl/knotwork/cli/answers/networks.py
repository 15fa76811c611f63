"""Answer of `networks`: the networks of the registry, their keys, ranges and routings."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...parameters import ROUTER_PARAMETERS, Parameters, display_value
from ...routing import Routing, routings_of
from ...routing.network_keys import router_names
from ...topology import TOPOLOGIES


@dataclass(frozen=True)
class Key:
    """Key of a set of parameters; the members have the names that `networks` promises.

    Members
    -------
    key : str
        Its name.
    range : str
        Rule for its values.
    required : bool
        Whether it has no default.
    default : object
        Value if unnamed; None where it is required, or where the default depends on other keys.
    help : str
        What it means.
    """

    key: str
    range: str
    required: bool
    default: object
    help: str

    @property
    def cells(self) -> tuple[object, object, object, object]:
        """Key as a table shows it."""
        return self.key, self.range, "(required)" if self.required else self.default, self.help


@dataclass(frozen=True)
class NetworkEntry:
    """Network of the registry; the members have the names that `networks` promises.

    Members
    -------
    name, summary : str
        Its name, and what it is.
    keys : list of Key
        Keys of the topology.
    routings : list of str
        Its routings, the default first.
    default_routing : str
        The first of them.
    routing_keys : dict of str to list of Key
        Keys that a routing has and the default one does not: its own, and its router class's.
    hardware_keys : list of Key
        Keys of the default routing's router class.
    router_keys : dict of str to list of Key
        Keys of each other router class that the network can have.
    """

    name: str
    summary: str
    keys: list[Key]
    routings: list[str]
    default_routing: str
    routing_keys: dict[str, list[Key]]
    hardware_keys: list[Key]
    router_keys: dict[str, list[Key]]


@dataclass(frozen=True)
class Table:
    """Title, columns and rows of a table."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def first_line(documented: type) -> str:
    """First line of a docstring, without its full stop."""
    return (documented.__doc__ or "").partition("\n")[0].rstrip(".")


def key_list(parameters: type[Parameters]) -> list[Key]:
    """Keys of a set of parameters."""
    return field_keys(parameters.keys())


def field_keys(fields: Mapping[str, dataclasses.Field]) -> list[Key]:
    """Keys by their declarations."""
    keys = []
    for key, field in fields.items():
        required = field.default is dataclasses.MISSING
        default = None if required else display_value(field, field.default)
        keys.append(
            Key(key, field.metadata["kind"].rule, required, default, field.metadata["help"])
        )
    return keys


def routing_keys(routing: type[Routing], default: type[Routing]) -> list[Key]:
    """Keys that a routing has and the default one has not: its own, and its router class's."""
    common = ROUTER_PARAMETERS[default.router_class].keys()
    hardware = key_list(ROUTER_PARAMETERS[routing.router_class])
    return key_list(routing.options_class) + [key for key in hardware if key.key not in common]


def network_entry(name: str) -> NetworkEntry:
    """Network of the registry by its name."""
    topology, routings = TOPOLOGIES[name], routings_of(name)
    default = next(iter(routings.values()))
    others = router_names(default)[1:]
    return NetworkEntry(
        name=name,
        summary=first_line(topology),
        keys=key_list(topology),
        routings=list(routings),
        default_routing=default.name,
        routing_keys={
            routing.name: routing_keys(routing, default) for routing in routings.values()
        },
        hardware_keys=key_list(ROUTER_PARAMETERS[default.router_class]),
        router_keys={router: key_list(ROUTER_PARAMETERS[router]) for router in others},
    )


def network_list() -> list[NetworkEntry]:
    """Every network of the registry."""
    return [network_entry(name) for name in TOPOLOGIES]


def network_tables(known: list[NetworkEntry]) -> Iterator[Table]:
    """Tables of all networks and of the hardware keys of their router classes."""
    columns = ("network", "key", "range", "default", "what it is")
    rows: list[tuple[object, ...]] = []
    hardware: dict[str, list[NetworkEntry]] = {}
    for entry in known:
        rows += _network_rows(entry)
        hardware.setdefault(str(entry.hardware_keys), []).append(entry)
    yield Table("Networks", columns, rows)
    for entries in hardware.values():
        title = "Hardware keys of " + ", ".join(entry.name for entry in entries)
        yield Table(title, columns[1:], [key.cells for key in entries[0].hardware_keys])
    others = {router: keys for entry in known for router, keys in entry.router_keys.items()}
    for router, keys in others.items():
        title = f"Hardware keys with router={router}"
        yield Table(title, columns[1:], [key.cells for key in keys])


def _network_rows(entry: NetworkEntry) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [(entry.name, "", "", "", entry.summary)]
    rows += [("", *key.cells) for key in entry.keys]
    rows.append(("", "routing", entry.routings, entry.default_routing, "routing rule"))
    rows += [("", *cells) for cells in _routing_rows(entry.routing_keys)]
    if entry.router_keys:
        choices = router_names(routings_of(entry.name)[entry.default_routing])
        rows.append(("", "router", choices, choices[0], "router class"))
    return rows


def _routing_rows(routing_keys: dict[str, list[Key]]) -> list[tuple[object, ...]]:
    """Cells of the routings' keys: each once, with the routings that have it where not all do."""
    having: dict[tuple[object, ...], list[str]] = {}
    for routing, keys in routing_keys.items():
        for key in keys:
            having.setdefault(key.cells, []).append(routing)
    rows = []
    for (*cells, meaning), routings in having.items():
        only = "" if len(routings) == len(routing_keys) else f" (routing={', '.join(routings)})"
        rows.append((*cells, f"{meaning}{only}"))
    return rows
