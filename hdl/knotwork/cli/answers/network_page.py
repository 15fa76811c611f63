"""Answer of `networks NAME`: one network in full."""

import inspect
import re
from dataclasses import dataclass

import click

from ...parameters import ROUTER_PARAMETERS
from ...parameters.options import impossible_pairs
from ...routing import all_routings_of
from ...routing.network_keys import network_keys, options_of, router_names
from ...topology import TOPOLOGIES
from ...wording import entry_named
from .. import output
from .networks import Key, NetworkEntry, field_keys, first_line, key_list, network_entry


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
