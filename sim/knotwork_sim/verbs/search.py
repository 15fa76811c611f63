"""`search`: graphs of one size and degree, better than networks that are published."""

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
    start_work,
    work_limit,
)

from .options import scheduler_option

if TYPE_CHECKING:
    from ..search.rows import Row
    from ..search.run import Found

AIMS = ("distance", "load")
"""What can be lowered, as `search.run` says."""
HEADINGS = (
    "graph",
    "nodes",
    "degree",
    "links",
    "diameter",
    "mean distance",
    "fullest channel",
    "ideal throughput",
    "above bound",
)
"""Columns of the printed table."""


@verb(
    examples=[
        "search --nodes 16 --degree 3 --effort 500",
        "search --nodes 16 --degree 4 --aim load --effort 200 -o best.edges",
        "search --nodes 20 --degree 3 --effort 500 --figure search.svg --json",
    ],
    writes="A table of the graphs that were found and of published networks of about this size, "
    "with -o the best graph, and with --figure a figure.",
)
@click.option(
    "--nodes",
    type=IntegerType(2, 4096),
    required=True,
    metavar="N",
    help="Routers, each with a node.",
)
@click.option(
    "--degree",
    type=IntegerType(1, 64),
    required=True,
    metavar="D",
    help="Links of each router to others.",
)
@click.option(
    "--aim",
    type=OneOf(AIMS),
    default="distance",
    help="What to minimise: the mean distance, or the load of the busiest channel [distance].",
)
@file_option(
    "--traffic",
    "traffic_file",
    help="Rates between the nodes, a row per node as for matrix= of sweep [all equal].",
)
@click.option(
    "--effort",
    type=IntegerType(0, 100_000_000),
    metavar="SWAPS",
    help="Link swaps to try on each graph [as many as take a few seconds].",
)
@click.option(
    "--starts",
    type=IntegerType(1, 1000),
    default=2,
    help="Random graphs of each kind to improve [2].",
)
@click.option(
    "--seed",
    type=IntegerType(0, 2**32 - 1),
    default=1,
    help="Seed of all random numbers [1].",
)
@scheduler_option("graphs")
@file_option(
    "-o", "--output", "graph_file", help="Write the best graph, as .edges, .graphml or .json."
)
@file_option("--figure", help="Draw a figure, .svg, .png or .pdf.")
@work_limit
@as_json
def search(
    *,
    nodes: int,
    degree: int,
    aim: str,
    traffic_file: Path | None,
    scheduler: str | None,
    graph_file: Path | None,
    figure: Path | None,
    as_json: bool,
    **effort: Any,
) -> None:
    """Search for graphs with short paths or a balanced load.

    The search improves circulants, random graphs and random graphs with rotations by swapping the
    ends of two links. The answer compares them with lower bounds for this size and degree, and with
    published networks.
    """
    from ..search.output import graph_kind
    from ..sweep.plots.figures import check_figure

    kinds = (
        None if graph_file is None else graph_kind(graph_file),
        None if figure is None else check_figure(figure),
    )
    from ..search.run import Plan, cores, run_search
    from ..traffic.files import RateMatrix

    traffic = None if traffic_file is None else RateMatrix.read(traffic_file)
    plan = Plan(nodes, degree, aim, traffic, **effort)
    if scheduler is None:  # a cluster is not this machine
        start_work(f"search --nodes {nodes} --degree {degree}", plan.work(cores(plan)))
    found = run_search(plan, scheduler=scheduler)
    files = _write(found, (graph_file, figure), kinds)
    if as_json:
        output.print_json(found.as_json() | {"files": files})
        return
    _print(found)
    for file in files:
        click.echo(file)


def _write(
    found: "Found", paths: tuple[Path | None, Path | None], kinds: tuple[str | None, str | None]
) -> list[str]:
    """Write the best graph and the figure, both or none; return their paths."""
    from knotwork.files import write_files

    from ..search.output import WRITERS, draw

    contents: dict[Path, str | bytes] = {}
    (graph_file, figure), (ending, kind) = paths, kinds
    if graph_file is not None and ending is not None:
        name = f"search_n{found.plan.nodes}_d{found.plan.degree}"
        contents[graph_file] = WRITERS[ending](found.best.neighbours, name)
    if figure is not None and kind is not None:
        contents[figure] = draw(found, kind)
    write_files(contents)
    return [str(path) for path in contents]


def _print(found: "Found") -> None:
    """Print the tables, and what bounds them."""
    plan, least = found.plan, found.bounds
    lowest = (least.average_distance, least.fullest_channel, min(1.0, 1 / least.fullest_channel))
    bound = [str(plan.nodes), str(plan.degree), str(plan.nodes * plan.degree // 2)]
    bound += [str(least.diameter), *(f"{figure:.4f}" for figure in lowest), ""]
    rows = [_cells(row, row.above(plan.lowered)) for row in (*found.rows, *found.published)]
    title = f"{plan.nodes} nodes of degree {plan.degree}, and published networks of about the size"
    output.table(title, HEADINGS, [["bound", *bound], *rows])


def _cells(row: "Row", above: float) -> list[str]:
    """Row of a table."""
    figures = row.figures
    low, high = figures.degree_min, figures.degree_max
    return [
        row.name,
        str(figures.nodes),
        str(high) if low == high else f"{low}-{high}",
        str(figures.links),
        str(figures.diameter),
        f"{figures.average_distance:.4f}",
        f"{figures.fullest_channel:.4f}",
        f"{figures.ideal_throughput:.4f}",
        f"{max(100 * above, 0):.1f} %",
    ]
