"""Answer of `networks`: the networks of the registry in a list, and one network in full."""

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import click

from ...parameters import ROUTER_PARAMETERS, Parameters, display_value
from ...parameters.options import impossible_pairs
from ...routing import Routing, all_routings_of, routings_of
from ...routing.network_keys import network_keys, options_of, router_names
from ...topology import TOPOLOGIES
from ...wording import entry_named
from .. import output


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


@dataclass(frozen=True)
class RoutingEntry:
    """Routing of a network; the members have the names that `networks` promises.

    Members
    -------
    name, summary : str
        Its name, and what it is.
    router_class : str
        What carries it by default.
    routers : list of str
        Values of the key ``router`` with it, the default first.
    keys : list of Key
        Its own keys.
    """

    name: str
    summary: str
    router_class: str
    routers: list[str]
    keys: list[Key]


@dataclass(frozen=True)
class Excluded:
    """Option that another excludes, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class OptionEntry:
    """Option of a network's routers; the members have the names that `networks` promises.

    Members
    -------
    name, key : str
        What it is called, and the key that chooses it.
    adds, needs : str
        What it adds to the hardware, and what it needs.
    impossible_with : list of Excluded
        Other options with which it cannot be combined, and why not.
    """

    name: str
    key: str
    adds: str
    needs: str
    impossible_with: list[Excluded]


@dataclass(frozen=True)
class NetworkPage:
    """One network in full.

    Members
    -------
    entry : NetworkEntry
        What the list of all networks says of it.
    description : list of str
        Paragraphs that say what it is, and what its ports are called.
    elsewhere : str or None
        What its name means in other books and tools, if that differs.
    references : str
        Where it was published.
    routing_entries : list of RoutingEntry
        The default first.
    router_class_keys : dict of str to list of Key
        Hardware keys of every router class that it can have.
    options : list of OptionEntry
        What its packet routers can have beside their keys' defaults.
    """

    entry: NetworkEntry
    description: list[str]
    elsewhere: str | None
    references: str
    routing_entries: list[RoutingEntry]
    router_class_keys: dict[str, list[Key]]
    options: list[OptionEntry]

    @property
    def all_keys(self) -> list[Key]:
        """Keys of the topology, and those that every network has."""
        common = ("routing", "router", "nodes_per_router", "dead", "classes", "name")
        known = {
            key: field for key, field in network_keys(self.entry.name).items() if key in common
        }
        return [*self.entry.keys, *field_keys(known)]

    def as_json(self) -> dict[str, object]:
        """Facts by the names that `networks` promises: those of the list, and more."""
        more = {key: value for key, value in vars(self).items() if key != "entry"}
        return {**vars(self.entry), **more}


def network_page(name: str) -> NetworkPage:
    """Everything about a network of the registry.

    Raises
    ------
    ConfigurationError
        No network has that name.
    """
    topology = entry_named(TOPOLOGIES, "a network", name)
    parts = _sections(inspect.getdoc(topology) or "")
    routings = all_routings_of(name)
    routers = dict.fromkeys(each for made in routings.values() for each in router_names(made))
    return NetworkPage(
        entry=network_entry(name),
        description=parts[""][1:],
        elsewhere=topology.elsewhere,
        references=" ".join(parts.get("References", [])),
        routing_entries=[
            RoutingEntry(
                routing.name,
                first_line(routing).removeprefix(f"{routing.name}: "),
                routing.router_class,
                list(router_names(routing)),
                key_list(routing.options_class),
            )
            for routing in routings.values()
        ],
        router_class_keys={each: key_list(ROUTER_PARAMETERS[each]) for each in routers},
        options=_options(name),
    )


def _options(name: str) -> list[OptionEntry]:
    """Options of a network, with those that exclude each other listed at both."""
    options = options_of(name)
    excluded: dict[str, list[Excluded]] = {option.name: [] for option in options}
    for one, other, reason in impossible_pairs(options):
        excluded[one.name].append(Excluded(other.name, reason))
        excluded[other.name].append(Excluded(one.name, reason))
    return [
        OptionEntry(option.name, option.key, option.adds, option.needs, excluded[option.name])
        for option in options
    ]


def _sections(text: str) -> dict[str, list[str]]:
    """Paragraphs of a docstring by section; those before the first section by the empty name."""
    found: dict[str, list[str]] = {}
    heads = [("", 0, 0)]
    heads += [(m[1], m.start(), m.end()) for m in re.finditer(r"^(\w+)\n-{3,}\n", text, re.M)]
    ends = [begin for _, begin, _ in heads[1:]] + [len(text)]
    for (head, _, start), end in zip(heads, ends, strict=True):
        paragraphs = text[start:end].strip().split("\n\n")
        found[head] = [" ".join(each.split()).replace("``", "") for each in paragraphs]
    return found


def print_page(page: NetworkPage) -> None:
    """Print what it is, and tables of its keys, routings and router classes."""
    entry = page.entry
    for paragraph in (f"{entry.name}: {entry.summary}.", *page.description):
        output.paragraph(paragraph)
        click.echo()
    if page.elsewhere is not None:
        output.paragraph(f"Elsewhere: {page.elsewhere}.")
        click.echo()
    columns = ("key", "range", "default", "what it is")
    output.table(f"Keys of {entry.name}", columns, [key.cells for key in page.all_keys])
    rows = [
        (each.name, ", ".join(each.routers), each.summary, ", ".join(key.key for key in each.keys))
        for each in page.routing_entries
    ]
    title = f"Values of the key routing, {entry.default_routing} if unnamed"
    output.table(title, ("routing", "router", "what it is", "own keys"), rows)
    own = {key.key: key.cells for each in page.routing_entries for key in each.keys}
    if own:
        output.table("Keys of the routings", columns, list(own.values()))
    for router, keys in page.router_class_keys.items():
        output.table(f"Hardware keys of {router} routers", columns, [key.cells for key in keys])
    if page.options:
        columns = ("option", "key", "what it adds", "impossible with")
        rows = [
            (
                each.name,
                each.key,
                each.adds,
                ", ".join(other.name for other in each.impossible_with),
            )
            for each in page.options
        ]
        output.table("Options of packet routers", columns, rows)
    if page.references:
        output.paragraph(f"Source: {page.references}")
