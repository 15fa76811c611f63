"""Verb route: the path of a packet, or the next routers of all pairs."""

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, network_argument, start_networks, work_limit

ALL = "all"
"""Word for all destinations."""


@verb(
    examples=[
        "route moebius n=4 twist=1 3 @1001",
        "route hypercube:n=3 0 7 --json",
        "route mesh x=3 y=3 --table",
        "route mesh x=3 y=3 --table --csv",
        "route mesh x=4 y=4 dead=5-6 --words mesh:x=4,y=4,tables=loaded",
        "route tcpg k=2 m=3 0 137 --disjoint",
        "route moebius n=4 routing=set_spr 0 all",
    ],
    writes="A table with a row per router of the path, or per path, or a matrix with --table, or "
    "with --words the words to load, in hexadecimal. No file.",
)
@network_argument("NET... [SRC DST]")
@click.option(
    "--table",
    "as_table",
    is_flag=True,
    help="Show the next routers for all pairs; without SRC DST.",
)
@click.option(
    "--csv", "as_csv", is_flag=True, help="With --table: write a CSV file for routing=table."
)
@click.option(
    "--words",
    "running",
    metavar="NET",
    help="Show the words that load this routing into the running network NET, which has "
    "tables=loaded.",
)
@click.option(
    "--disjoint", is_flag=True, help="Show as many paths as possible that share no router."
)
@work_limit
@as_json
def route(
    *,
    words: tuple[str, ...],
    as_table: bool,
    as_csv: bool,
    running: str | None,
    disjoint: bool,
    as_json: bool,
) -> None:
    """Show the path of a packet from one node to another.

    SRC and DST are indices, or labels written @0010; DST all stands for all nodes.
    """
    if as_csv and (as_json or not as_table):
        raise ConfigurationError(
            f"route: --csv must be used with --table, not {'with --json' if as_table else 'alone'}"
        )
    if disjoint and as_table:
        raise ConfigurationError("route: --disjoint must be used with SRC DST, not with --table")
    if running is not None:
        if as_table or disjoint:
            other = "--table" if as_table else "--disjoint"
            raise ConfigurationError(f"route: --words must be used without {other}")
        _print_words(words, running, as_json=as_json)
    elif as_table:
        _print_table(words, as_csv=as_csv, as_json=as_json)
    else:
        _print_paths(words, disjoint=disjoint, as_json=as_json)


def _print_table(words: tuple[str, ...], *, as_csv: bool, as_json: bool) -> None:
    """Print the next routers of all pairs, or the file that makes them."""
    from ...designs import read_network
    from ...estimates.networks import table_work
    from ...routing.table_file import export_table
    from ..answers.route import next_routers

    network = read_network(words)
    start_networks("route --table", [network], table_work)
    if as_csv:
        click.echo(export_table(network.routing).text(), nl=False)
        return
    table = next_routers(network)
    if as_json:
        output.print_json_rows("next", table, {"network": network.topology.name})
    else:
        output.print_matrix(table)


def _print_paths(words: tuple[str, ...], *, disjoint: bool, as_json: bool) -> None:
    """Print the path from one node to another, or disjoint ones."""
    from ...designs import read_network
    from ...estimates.networks import table_work
    from ..answers import route as answers

    *net, source, destination = ("", "", *words)[-max(len(words), 2) :]
    if not net or "=" in source or "=" in destination:
        raise ConfigurationError(
            "route: the arguments must be NET... SRC DST, a network and two nodes, not "
            f"{' '.join(words)!r}"
        )
    network = read_network(net)
    if destination == ALL:
        if disjoint:
            raise ConfigurationError("route: --disjoint must be used with one DST, not with all")
        start_networks("route", [network], table_work)
        begin = network.node(source)
        routes = answers.find_routes(network, begin)
        if as_json:
            paths = [{"destination": each.destination} | each.as_json() for each in routes]
            output.print_json({"routes": paths})
        else:
            answers.print_routes(network, begin, routes)
        return
    ends = network.node(source), network.node(destination)
    if disjoint:
        paths = answers.find_disjoint(network, *ends)
        if as_json:
            output.print_json(paths)
        else:
            answers.print_disjoint(network, *ends, paths)
        return
    found = answers.find_route(network, *ends)
    if as_json:
        output.print_json(found.as_json())
    else:
        answers.print_route(network, found)


def _print_words(words: tuple[str, ...], running: str, *, as_json: bool) -> None:
    """Print the words that make one network in service route as another one does."""
    from ...designs import read_network, read_network_word
    from ...emit.loading import load_words
    from ...emit.ports import config_widths
    from ...estimates.networks import table_work

    wanted, network = read_network(words), read_network_word(running)
    start_networks("route --words", [wanted], table_work)
    made, bits = load_words(network, wanted), config_widths(network)["tdata"]
    if as_json:
        output.print_json({"network": network.name, "bits": bits, "words": made})
    else:
        click.echo("\n".join(f"{word:0{-(-bits // 4)}x}" for word in made))
