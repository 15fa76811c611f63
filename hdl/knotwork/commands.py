"""Verbs of networks: networks, describe, compare, route, check, generate, draw."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from . import answers
from .answers import as_json
from .catalogue import network_list, network_tables
from .errors import ConfigurationError
from .network import Network
from .routing import Routing, routings_of
from .topology import metrics

network_words = click.argument("words", metavar="NET...", nargs=-1, type=click.UNPROCESSED)
"""Argument that takes the words of a network."""


@click.command()
@as_json
def networks(as_json: bool) -> None:
    """List the networks, with their keys, ranges and routings."""
    known = network_list()
    if as_json:
        answers.print_json({"networks": known})
        return
    for title, columns, rows in network_tables(known):
        answers.table(title, columns, rows)


def describe_network(network: Network) -> dict[str, Any]:
    """Facts of a network by the names that `describe` promises."""
    topology = network.topology
    links, simple_links = metrics.link_counts(topology.neighbours)
    least, greatest = metrics.degrees(topology.neighbours)
    routings = list(routings_of(topology.name))
    return {
        "network": topology.name,
        "parameters": network.parameters,
        "nodes": topology.nodes,
        "routers": topology.routers,
        "links": links,
        "simple_links": simple_links,
        "degree": {"min": least, "max": greatest},
        "diameter": topology.diameter,
        "average_distance": topology.average_distance,
        "routings": routings,
        "default_routing": next(iter(routings), None),
        **topology.more_facts(),
    }


def _fact_cells(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as a table shows them: a row a parameter, one degree if regular, why a fact is null."""
    degree = facts["degree"]
    cells = {"network": facts["network"], **facts["parameters"], **facts}
    del cells["parameters"]
    if degree["min"] == degree["max"]:
        cells["degree"] = degree["min"]
    for fact in ("diameter", "average_distance"):
        if facts[fact] is None:
            cells[fact] = (
                f"unknown: no formula, and all pairs are searched up to "
                f"{metrics.SEARCH_LIMIT} routers only"
            )
    return cells


def describe_walks(network: Network) -> dict[str, dict[str, Any] | None]:
    """Lengths of the walks of all pairs by routing; None where they are too many or none.

    The network's own routing is taken as it is, the others with their default keys.
    """
    from .routing.lengths import summary

    topology, nodes = network.topology, network.topology.nodes
    classes = _routing_classes(network)
    walks: dict[str, dict[str, Any] | None] = dict.fromkeys(classes)
    within = [
        name
        for name, routing_class in classes.items()
        if routing_class.settled is None and nodes <= routing_class.walk_limit
    ]
    if not within:
        return walks
    distances = metrics.distances(topology.neighbours)[:nodes, :nodes]
    for name in within:
        own = name == network.routing.name
        routing = network.routing if own else Network(topology, routing=name).routing
        walks[name] = dataclasses.asdict(summary(routing.walk_lengths(), distances))
    return walks


def _routing_classes(network: Network) -> dict[str, type[Routing]]:
    return routings_of(network.topology.name) | {network.routing.name: type(network.routing)}


def _walk_cells(network: Network, walks: dict[str, dict[str, Any] | None]) -> dict[str, str]:
    """Walks as a table shows them: a row a routing, and why there are none."""
    cells = {}
    for name, routing_class in _routing_classes(network).items():
        if routing_class.settled is not None:
            cell = "none: a packet's way depends on the others"
        elif (found := walks[name]) is None:
            cell = f"unknown: all pairs are walked up to {routing_class.walk_limit} nodes only"
        else:
            cell = (
                f"mean {answers.text(found['mean'])}, longest {found['max']}; "
                f"{found['nonminimal']} pairs longer than their distance"
            )
        cells[f"walks of {name}"] = cell
    return cells


@click.command()
@network_words
@click.option("--routing", "walked", is_flag=True, help="Walk all pairs by each routing.")
@as_json
def describe(words: tuple[str, ...], walked: bool, as_json: bool) -> None:
    """Tell a network's size, links, degree, diameter and distances."""
    network = Network.from_words(words)
    facts = describe_network(network)
    cells = _fact_cells(facts)
    if walked:
        facts["walks"] = describe_walks(network)
        cells |= _walk_cells(network, facts["walks"])
    if as_json:
        answers.print_json(facts)
    else:
        answers.facts(network.name, cells)


@click.command()
@click.argument("nets", metavar="NET NET...", nargs=-1, type=click.UNPROCESSED)
@as_json
def compare(nets: tuple[str, ...], as_json: bool) -> None:
    """Describe networks side by side.

    Each is named in one word: moebius:n=6,twist=1.
    """
    if not nets:
        raise ConfigurationError(
            "compare: networks must be named, each in one word like moebius:n=6,twist=1"
        )
    made = [Network.from_word(net) for net in nets]
    described = [describe_network(network) for network in made]
    if as_json:
        answers.print_json({"networks": described})
        return
    cells = [_fact_cells(facts) for facts in described]
    known = dict.fromkeys(fact for facts in cells for fact in facts)
    rows = [(fact, *(facts.get(fact, "") for facts in cells)) for fact in known]
    answers.table("Comparison", ("fact", *(network.name for network in made)), rows)


@click.command()
@click.argument("words", metavar="NET... [SRC DST]", nargs=-1, type=click.UNPROCESSED)
@click.option("--table", "whole", is_flag=True, help="Next routers for all pairs, without SRC DST.")
@as_json
def route(words: tuple[str, ...], whole: bool, as_json: bool) -> None:
    """Tell the way of a packet from one node to another.

    SRC and DST are indices, or labels written @0010.
    """
    if whole:
        route_table(Network.from_words(words), as_json)
        return
    *net, source, destination = ("", "", *words)[-max(len(words), 2) :]
    if not net or "=" in source or "=" in destination:
        raise ConfigurationError(
            f"route: the words must be NET... SRC DST, a network and two nodes, "
            f"not {' '.join(words)!r}"
        )
    network = Network.from_words(net)
    route_pair(network, network.node(source), network.node(destination), as_json)


def route_pair(network: Network, source: int, destination: int, as_json: bool) -> None:
    """Print the way between two nodes."""
    topology = network.topology
    hops = network.routing.hops(source, destination)
    answer = {
        "path": [hop.router for hop in hops],
        "labels": [topology.router_label(hop.router) for hop in hops],
        "ports": [topology.ports[hop.port] for hop in hops[:-1]],
        "virtual_channels": [hop.virtual_channel for hop in hops[:-1]],
    }
    more = network.routing.pair_facts(source, destination)
    if as_json:
        answers.print_json({**answer, **more})
        return
    ports = [*answer["ports"], topology.ports[hops[-1].port]]
    channels = [*answer["virtual_channels"], "-"]
    rows = zip(range(len(hops)), answer["path"], answer["labels"], ports, channels, strict=True)
    title = f"{network.name}: {source} to {destination}, {len(hops) - 1} hops"
    answers.table(title, ("hop", "router", "label", "leaves by", "virtual channel"), list(rows))
    if more:
        answers.facts(f"{topology.label(source)} to {topology.label(destination)}", more)


def route_table(network: Network, as_json: bool) -> None:
    """Print the next routers of all pairs of nodes."""
    nodes, limit = network.topology.nodes, network.routing.walk_limit
    if nodes > limit:
        raise ConfigurationError(
            f"{network.name}: nodes must be at most {limit} for --table, not {nodes}"
        )
    table = network.routing.first_hops()
    if as_json:
        answers.print_json_rows("next", table, {"network": network.topology.name})
    else:
        answers.print_matrix(table)


@click.command()
@network_words
@as_json
@click.pass_context
def check(context: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Check that a network cannot deadlock.

    Exit status 1 where it can.
    """
    network = Network.from_words(words)
    report = network.deadlock_report
    answer = {
        "deadlock_free": report.deadlock_free,
        "channels": report.channels,
        "dependencies": report.dependencies,
        "virtual_channels": report.virtual_channels,
        "cycle": report.cycle,
        "reason": report.reason,
    }
    if as_json:
        answers.print_json(answer)
    else:
        cycle = answer.pop("cycle")
        answers.facts(f"{network.name}, routing={network.routing.name}", answer)
        if cycle:
            label = network.topology.label
            rows = [(label(a), label(b), channel) for a, b, channel in cycle]
            answers.table(
                "Each channel waits for the next, the last for the first",
                ("from", "to", "virtual channel"),
                rows,
            )
    if not report.deadlock_free:
        context.exit(1)


@click.command()
@network_words
@click.option("-o", "directory", type=Path, metavar="DIR", help="Folder [build/<name>].")
@as_json
def generate(words: tuple[str, ...], directory: Path | None, as_json: bool) -> None:
    """Write a network's Verilog, manifest and FuseSoC core."""
    network = Network.from_words(words)
    network.require_deadlock_free()
    from .emit import write_network

    directory = directory or Path("build") / network.name
    files = [str(path) for path in write_network(network, directory)]
    if as_json:
        answers.print_json({"directory": str(directory), "files": files})
    else:
        click.echo("\n".join(files))


@click.command()
@network_words
@click.option("-o", "file", type=Path, metavar="FILE.svg", help="Drawing [build/<name>.svg].")
@click.option("--route", "ends", nargs=2, metavar="SRC DST", help="Way to highlight.")
@click.option("--multicast", nargs=2, metavar="SRC DST,DST,...", help="Rounds to highlight.")
@click.option("--broadcast", metavar="SRC", help="Tree to highlight.")
@as_json
def draw(
    *,
    words: tuple[str, ...],
    file: Path | None,
    ends: tuple[str, str] | None,
    multicast: tuple[str, str] | None,
    broadcast: str | None,
    as_json: bool,
) -> None:
    """Draw a network as SVG."""
    from .draw import draw_network
    from .files import write_whole

    if sum(way is not None for way in (ends, multicast, broadcast)) > 1:
        raise ConfigurationError(
            "draw: there must be one of --route, --multicast and --broadcast, not several"
        )
    network = Network.from_words(words)
    file = file or Path("build") / f"{network.name}.svg"
    if file.suffix != ".svg":
        raise ConfigurationError(f"draw: FILE must end in .svg, not {str(file)!r}")
    route = (network.node(ends[0]), network.node(ends[1])) if ends else None
    rounds = None
    if multicast:
        source, members = multicast
        rounds = network.node(source), [network.node(node) for node in members.split(",")]
    tree = None if broadcast is None else network.node(broadcast)
    write_whole(file, draw_network(network, route=route, multicast=rounds, broadcast=tree))
    if as_json:
        answers.print_json({"file": str(file)})
    else:
        click.echo(str(file))
