"""Verbs of networks: networks, describe, compare, route, check, generate, draw, export."""

from pathlib import Path

import click

from ..errors import ConfigurationError
from ..network import Network
from . import output as answers
from .catalogue import network_list, network_tables
from .description import (
    GROUPS,
    compare_network,
    comparison_cells,
    describe_network,
    describe_walks,
    fact_cells,
    group_sizes,
    walk_cells,
)
from .output import as_json

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


@click.command()
@network_words
@click.option("--routing", "walked", is_flag=True, help="Walk all pairs by each routing.")
@as_json
def describe(words: tuple[str, ...], walked: bool, as_json: bool) -> None:
    """Tell a network's size, links, degree, diameter and distances."""
    network = Network.from_words(words)
    facts = describe_network(network)
    cells = fact_cells(facts)
    if walked:
        facts["walks"] = describe_walks(network)
        cells |= walk_cells(network, facts["walks"])
    if as_json:
        answers.print_json(facts)
    else:
        answers.facts(network.name, cells)


@click.command()
@click.argument("nets", metavar="NET NET...", nargs=-1, type=click.UNPROCESSED)
@click.option("--groups", default=GROUPS, metavar="N,N,...", help=f"Sizes of groups [{GROUPS}].")
@as_json
def compare(nets: tuple[str, ...], groups: str, as_json: bool) -> None:
    """Put networks side by side: what `describe` tells, and what they cost.

    Each is named in one word: moebius:n=6,twist=1. A group of N nodes is as far apart, at best, as
    the two farthest of them.
    """
    if not nets:
        raise ConfigurationError(
            "compare: networks must be named, each in one word like moebius:n=6,twist=1"
        )
    sizes = group_sizes(groups)
    made = [Network.from_word(net) for net in nets]
    compared = [compare_network(network, sizes) for network in made]
    if as_json:
        answers.print_json({"networks": compared})
        return
    cells = [comparison_cells(facts) for facts in compared]
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
@click.option("--keep-hierarchy", is_flag=True, help="Synthesis keeps each router a module.")
@as_json
def generate(
    *, words: tuple[str, ...], directory: Path | None, keep_hierarchy: bool, as_json: bool
) -> None:
    """Write a network's Verilog, manifest and FuseSoC core."""
    network = Network.from_words(words)
    network.require_deadlock_free()
    from ..emit import write_network

    directory = directory or Path("build") / network.name
    files = [str(path) for path in write_network(network, directory, keep_hierarchy=keep_hierarchy)]
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
    from ..drawing.svg import draw_network
    from ..files import write_whole

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


_file = click.Path(path_type=Path, dir_okay=False)


@click.command()
@network_words
@click.option("--anynet", "anynet", type=_file, metavar="FILE", help="Network file of BookSim 2.")
@click.option("--graphml", "graphml", type=_file, metavar="FILE", help="GraphML document.")
@click.option("--edges", "edges", type=_file, metavar="FILE", help="Pairs of numbers, one a line.")
@as_json
def export(*, words: tuple[str, ...], as_json: bool, **files: Path | None) -> None:
    """Write a topology for other programs."""
    from ..drawing import graph_files as formats
    from ..files import write_all

    named = {name: file for name, file in files.items() if file is not None}
    if not named:
        raise ConfigurationError("export: a file must be named with --anynet, --graphml or --edges")
    if len(set(named.values())) < len(named):
        raise ConfigurationError("export: each file must have a name of its own")
    network = Network.from_words(words)
    write_all({file: getattr(formats, name)(network) for name, file in named.items()})
    if as_json:
        answers.print_json({name: str(file) for name, file in named.items()})
        return
    for file in named.values():
        click.echo(str(file))
