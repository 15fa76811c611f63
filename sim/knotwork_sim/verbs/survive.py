"""`survive`: what is left of a network when links and routers are dead."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    IntegerType,
    OneOf,
    as_json,
    file_option,
    network_words,
    read_networks,
    start_work,
    work_limit,
)
from knotwork.errors import ConfigurationError

from .options import scheduler_option

if TYPE_CHECKING:
    from ..survive import Survived

PARTS = ("both", "links", "routers")
"""What may be dead, as `survive.dead_sets` says."""
DEFAULT_SETS = 100
"""Random sets that are tried unless their number is given."""
HEADINGS = ("routing", "free", "channels", "intact", "mean", "least", "loss", "most", "hops")
"""Columns of the printed table: networks free of deadlock, most virtual channels, ideal throughput
of the intact network and of what is left, its loss against the network's own routing, mean hops."""


@verb(
    examples=[
        "survive mesh x=4 y=4 --dead 2",
        "survive hypercube n=3 --dead 1 --parts links --all --json",
        "survive torus:x=4,y=4 --dead 3 --sets 20 -o fates.csv",
    ],
    writes="A row for each routing that is computed for what is left, and with -o a table of all "
    "sets.",
)
@network_words
@click.option(
    "--dead",
    type=IntegerType(1, 1000),
    required=True,
    metavar="N",
    help="Links and routers that are dead at the same time.",
)
@click.option("--parts", type=OneOf(PARTS), default="both", help="Which parts may be dead [both].")
@click.option(
    "--sets",
    type=IntegerType(1, 1_000_000),
    metavar="K",
    help=f"Random sets to try; all sets if there are no more [{DEFAULT_SETS}].",
)
@click.option("--all", "every", is_flag=True, help="Try all sets.")
@click.option("--seed", type=IntegerType(0, 2**32 - 1), default=1, help="Seed of the sets [1].")
@click.option(
    "--routing",
    "routings",
    metavar="NAME,...",
    help="Routings to compute for what is left: updown, shortest, balanced [updown,shortest].",
)
@click.option(
    "--measure",
    type=IntegerType(100, 1_000_000),
    metavar="CYCLES",
    help="Also measure the load accepted at full offered load, on the golden model [not measured].",
)
@scheduler_option("sets")
@file_option("-o", "--output", "table_file", help="Write a row for each set, .csv or .parquet.")
@work_limit
@as_json
@click.pass_context
def survive(
    context: click.Context,
    *,
    words: tuple[str, ...],
    every: bool,
    sets: int | None,
    routings: str | None,
    scheduler: str | None,
    table_file: Path | None,
    as_json: bool,
    **survival: Any,
) -> None:
    """Kill links and routers: what is left, and its throughput.

    Is the network still connected, and at what throughput? The routings that are computed for what
    is left must be free of deadlock: exit status 1 if one is not.
    """
    if every and sets is not None:
        raise ConfigurationError("survive: --all must not be used with --sets")
    from .. import columns

    if table_file is not None:
        columns.check_table(table_file)
    networks = read_networks(words)
    if len(networks) > 1:
        raise ConfigurationError(f"survive: NET must be one network, not {len(networks)}")
    from ..survive import SHOWN, Survival, cores, run_survival

    names = SHOWN if routings is None else tuple(routings.split(","))
    limit = None if every else sets or DEFAULT_SETS
    plan = Survival(networks[0], sets=limit, routings=names, **survival)
    if scheduler is None:  # a cluster is not this machine
        start_work(f"survive {networks[0].name}", plan.work(cores()))
    found = run_survival(plan, scheduler=scheduler)
    if table_file is not None:
        found.table.write(table_file)
    if as_json:
        output.print_json(found.as_json())
    else:
        _print(found)
        if table_file is not None:
            click.echo(str(table_file))
    if not found.is_free:
        context.exit(1)


def _print(found: "Survived") -> None:
    """Print the table, and what it is of."""
    survival, own, connected = found.survival, found.own, len(found.connected)
    what = {"both": "links and routers"}.get(survival.parts, survival.parts)
    title = f"{survival.network.name}: ideal throughput with {survival.dead} of its {what} dead"
    output.table(title, HEADINGS, [_cells(found, name) for name in survival.routings])
    click.echo(f"connected: {connected} of {len(found.fates)} sets")
    click.echo(
        f"intact, by {survival.network.routing.name}: {own.ideal_throughput:.4f} flits per node "
        f"per cycle, {own.average_hops:.3f} hops"
    )
    if own.accepted is not None:
        click.echo(f"accepted by {survival.network.routing.name}, intact: {own.accepted:.4f}")
    for name in survival.routings:
        summary = found.summary(name)
        if summary["accepted"] is not None:
            before, after = summary["intact"]["accepted"], summary["accepted"]
            click.echo(
                f"accepted by {name}: intact {before:.4f}, mean {after['mean']:.4f}, least "
                f"{after['least']:.4f}"
            )
        if summary["worst"]:
            click.echo(f"least by {name}: dead={','.join(summary['worst'])}")
    apart = next((fate for fate in found.fates if not fate.connected), None)
    if apart is not None:
        click.echo(f"falls apart: dead={','.join(apart.dead)}")


def _cells(found: "Survived", name: str) -> list[str]:
    """Row of the table."""
    summary = found.summary(name)
    head = [name, f"{summary['deadlock_free']} of {len(found.connected)}"]
    before = f"{summary['intact']['ideal_throughput']:.4f}"
    if not found.connected:
        return [*head, "-", before, "-", "-", "-", "-", "-"]
    ideal, loss = summary["ideal_throughput"], summary["loss"]
    return [
        *(*head, str(summary["virtual_channels"]), before),
        *(f"{ideal['mean']:.4f}", f"{ideal['least']:.4f}"),
        *(f"{loss['mean']:.1%}", f"{loss['most']:.1%}"),
        f"{summary['average_hops']['mean']:.3f}",
    ]
