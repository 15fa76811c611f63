"""Verb route: the path of a packet, or the next routers of all pairs."""

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, network_argument, start_networks, work_limit


@verb(
    examples=[
        "route moebius n=4 twist=1 3 @1001",
        "route hypercube:n=3 0 7 --json",
        "route mesh x=3 y=3 --table",
        "route mesh x=3 y=3 --table --csv",
        "route tcpg k=2 m=3 0 137 --disjoint",
    ],
    writes="A table with a row per router of the path, or per path with --disjoint, or a matrix "
    "with --table. No file.",
)
@network_argument("NET... [SRC DST]")
@click.option("--table", "whole", is_flag=True, help="Next routers for all pairs, without SRC DST.")
@click.option("--csv", "as_csv", is_flag=True, help="With --table: a file for routing=table.")
@click.option("--disjoint", is_flag=True, help="Most paths without a common router.")
@work_limit
@as_json
def route(words: tuple[str, ...], whole: bool, as_csv: bool, disjoint: bool, as_json: bool) -> None:
    """Show the path of a packet from one node to another.

    SRC and DST are indices, or labels written @0010.
    """
    if as_csv and (as_json or not whole):
        raise ConfigurationError(
            f"route: --csv must go with --table, not {'with --json' if whole else 'alone'}"
        )
    if disjoint and whole:
        raise ConfigurationError("route: --disjoint must go with SRC DST, not with --table")
    from ...estimates.networks import table_work
    from ...network import Network
    from ...routing.table_file import exported
    from ..answers.route import (
        find_disjoint,
        find_route,
        next_routers,
        print_disjoint,
        print_route,
    )

    if whole:
        network = Network.from_words(words)
        start_networks("route --table", [network], table_work)
        if as_csv:
            click.echo(exported(network.routing).text(), nl=False)
            return
        table = next_routers(network)
        if as_json:
            output.print_json_rows("next", table, {"network": network.topology.name})
        else:
            output.print_matrix(table)
        return
    *net, source, destination = ("", "", *words)[-max(len(words), 2) :]
    if not net or "=" in source or "=" in destination:
        raise ConfigurationError(
            f"route: the words must be NET... SRC DST, a network and two nodes, "
            f"not {' '.join(words)!r}"
        )
    network = Network.from_words(net)
    ends = network.node(source), network.node(destination)
    if disjoint:
        paths = find_disjoint(network, *ends)
        if as_json:
            output.print_json(paths)
        else:
            print_disjoint(network, *ends, paths)
        return
    found = find_route(network, *ends)
    if as_json:
        output.print_json(found.as_json())
    else:
        print_route(network, found)
