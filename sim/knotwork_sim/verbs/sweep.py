"""`sweep`: accepted load and latency over offered load, and permutations over sizes."""

import shlex
from contextlib import nullcontext
from dataclasses import Field, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from knotwork import __version__
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    IntegerType,
    OneOf,
    as_json,
    file_option,
    picture_format,
    several_networks,
    start_work,
    stdout_kind,
    work_limit,
)
from knotwork.errors import ConfigurationError

from ..check.engines import BOARD, SWEEP_ENGINES
from .options import scheduler_option

if TYPE_CHECKING:
    from ..sweep.board import BoardPort


def _swept_keys() -> dict[str, Field]:
    from ..sweep.swept_keys import sweep_keys

    return sweep_keys()


@verb(
    examples=[
        "sweep hypercube n=3 moebius n=3 --rates 0.1:0.9:0.4 --measure 500",
        "sweep ring n=4 --rates 0.1,0.3 --measure 500 --repeat 5 -o ring.svg",
        "sweep petersen --rates 0.1:0.3:0.1 --engine board --port simulated",
        "sweep lcan d=2 u=2 levels=2-4 --permutation random --repeat 10",
    ],
    writes="A table per network with a row per load or size, and with -o a figure with its "
    "numbers beside it.",
    keys={"Traffic": _swept_keys},
)
@several_networks
@click.option(
    "--rates",
    metavar="FIRST:LAST:STEP",
    help="Offered loads in flits per node per cycle: a range, or a list as in 0.1 or 0.1,0.25 "
    "[search for saturation].",
)
@click.option(
    "--warmup",
    type=IntegerType(0, 10_000_000),
    help="Cycles before the measurement [until the network is steady, at most those of --measure].",
)
@click.option(
    "--measure",
    type=IntegerType(100, 10_000_000),
    help="Cycles of the measurement, and the least for the drain after it [10000].",
)
@click.option("--engine", type=OneOf(SWEEP_ENGINES), help="What measures the points [model].")
@click.option(
    "--port",
    help="Serial port of the board, for --engine board; simulated: a board that Verilator runs.",
)
@click.option("--baud", type=IntegerType(1), help="Bits per second on it [115200].")
@click.option(
    "--rtl-rates",
    metavar="FIRST:LAST:STEP",
    help="Loads to measure on the Verilog too, marked in the figure: a range, or a list.",
)
@scheduler_option("points")
@file_option(
    "--results",
    "results_file",
    help="Save each point as soon as it is measured; the same command then continues from there "
    "[beside -o, until the end].",
)
@click.option(
    "--permutation",
    metavar="NAME",
    help="Measure network cycles instead, for worst (all pairs meet on the top level), random, "
    "identity, complement, reversal, transpose, shuffle, bit_rotation, destinations a,b,..., or "
    "random_routing (every node draws its destination independently).",
)
@click.option(
    "--choice",
    metavar="RULE",
    help="How switches choose circuits: lfsr (as the hardware does), matching, round_robin or "
    "independent (each header independently) [lfsr].",
)
@click.option(
    "--repeat",
    "times",
    type=IntegerType(2, 100_000),
    help="Runs per load, with seed, seed + 1, ... [1]; or permutations per network [100].",
)
@click.option(
    "--seed",
    type=IntegerType(0, 2**32 - 1),
    help="Seed of the first permutation, and of the switches in it [1].",
)
@file_option(
    "-o",
    "--output",
    "figure",
    help="Draw a figure, .svg, .png or .pdf, or - for stdout; the numbers of a figure go beside "
    "it, as .csv and, for loads, .json. For loads, .csv or .parquet writes only the table.",
)
@picture_format
@work_limit
@as_json
def sweep(
    *,
    words: tuple[str, ...],
    figure: Path | None,
    picture_kind: str | None,
    as_json: bool,
    permutation: str | None,
    **options: Any,
) -> None:
    """Measure latency and accepted load over offered load.

    All networks get the same traffic.

    With --permutation, measure how many network cycles permutations take as a network grows. A key
    may then be a range: lcan d=2 u=2 levels=2-10.
    """
    from ..sweep.plots import figures

    growth_only = ("seed", "choice")
    for name, value in options.items():
        if name == "times":
            continue
        if value is not None and (name in growth_only) != (permutation is not None):
            spelled = {"results_file": "results"}.get(name, name).replace("_", "-")
            rule = "be used with" if name in growth_only else "not be used with"
            raise ConfigurationError(f"sweep: --{spelled} must {rule} --permutation")
    shown_kind = stdout_kind("sweep", figure, picture_kind, as_json)
    if shown_kind is not None:
        figure = None
    elif figure is not None:
        figures.check_output(figure, tables=permutation is None)
    chosen = {name: value for name, value in options.items() if value is not None}
    if permutation is None:
        _take_port(chosen)
        _sweep_loads(words, figure, shown_kind, as_json, **chosen)
    else:
        _sweep_sizes(words, permutation, figure, shown_kind, as_json, **chosen)


def _take_port(chosen: dict[str, Any]) -> None:
    """Make one of what the options say of a board.

    Raises
    ------
    ConfigurationError
        A port without a board.
    """
    place = {name: chosen.pop(name) for name in ("port", "baud") if name in chosen}
    if place and chosen.get("engine") != BOARD:
        raise ConfigurationError(f"sweep: --{next(iter(place))} must be used with --engine {BOARD}")
    if "port" in place:
        from ..sweep.board import BoardPort

        chosen["engine"] = BoardPort(**place)


def _sweep_loads(
    words: tuple[str, ...],
    figure: Path | None,
    shown_kind: str | None,
    as_json: bool,
    *,
    rates: str | None = None,
    engine: "str | BoardPort" = "model",
    rtl_rates: str | None = None,
    scheduler: str | None = None,
    results_file: Path | None = None,
    times: int = 1,
    **window: int,
) -> None:
    from ..estimates import noting_sweep, sweep_work
    from ..sweep import load as load_sweep
    from ..sweep.load_result import Window
    from ..sweep.plots import load_plots
    from ..sweep.rates import parse_rates

    loads = None if rates is None else parse_rates(rates)
    on_verilog = () if rtl_rates is None else parse_rates(rtl_rates, option="--rtl-rates")
    entries, traffic = load_sweep.split_nets(words)
    made = load_sweep.LoadSweep(
        entries,
        traffic,
        rates=loads,
        window=Window(**window),
        engine=engine,
        rtl_rates=on_verilog,
        repeat=times,
    )
    if scheduler is None:  # a cluster is not this machine
        start_work(f"sweep {' '.join(entry.label for entry in entries)}", sweep_work(made))
    beside = figure.with_suffix(".results") if figure is not None else None
    kept = results_file or beside
    is_new = scheduler is None and not (kept is not None and kept.exists())
    with noting_sweep(made) if is_new else nullcontext():
        result = load_sweep.run_sweep(made, results_file=kept, scheduler=scheduler)
    files = [] if figure is None else load_plots.write_sweep(figure, result)
    if beside is not None and results_file is None:
        beside.unlink()  # kept only in case the sweep was killed
    if shown_kind is not None:
        output.print_bytes(load_plots.figure_of(result, shown_kind))
        return
    if as_json:
        output.print_json(result.as_json())
        return
    for curve in result.curves:
        for beside, points in (("", curve.points), (", the Verilog", curve.rtl_points)):
            if points is not None:
                title = f"{curve.label}{beside}: loads in flits/node/cycle, latencies in cycles"
                output.table(title, load_plots.HEADINGS, load_plots.cells(points))
        for fact in load_plots.facts(curve):
            click.echo(fact)
    for file in files:
        click.echo(str(file))


def _sweep_sizes(
    words: tuple[str, ...],
    permutation: str,
    figure: Path | None,
    shown_kind: str | None,
    as_json: bool,
    *,
    times: int = 100,
    seed: int = 1,
    choice: str = "lfsr",
) -> None:
    from knotwork.network_words import join_words, split_networks

    from ..sweep import growth
    from ..sweep.plots import growth_plots

    nets = [join_words(net) for net in split_networks(words).networks]
    curves = growth.sweep(nets, permutation=permutation, repeat=times, seed=seed, choice=choice)
    settings = {"permutation": permutation, "repeat": times, "seed": seed, "choice": choice}
    options = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    command = shlex.join(["knotwork", "sweep", *nets, *options])
    answer: dict[str, object] = {"version": __version__, "command": command, **settings}
    answer["sweeps"] = [curve.as_json() for curve in curves]
    which = "one" if "," in permutation else permutation  # a list may be long
    title = f"Permutations ({which}), {times} per size: means and 95 % confidence"
    if shown_kind is not None:
        output.print_bytes(growth_plots.draw(curves, title=title, kind=shown_kind))
        return
    if figure is not None:
        answer["figure"] = str(figure)
        notes = {"knotwork": __version__, "command": command}
        written = growth_plots.write_figure(figure, curves, title=title, notes=notes)
        answer["table"] = str(written)
    if as_json:
        output.print_json(answer)
        return
    for curve in curves:
        rows = [
            [str(cell) if isinstance(cell, int) else f"{cell:.3f}" for cell in astuple(point)]
            for point in curve.points
        ]
        output.table(curve.label, growth_plots.HEADINGS, rows)
        for fit in curve.fits:
            rank = "better fit" if fit is curve.fits[0] else "other fit"
            click.echo(f"{rank}: {fit.formula}, R^2 {fit.r2:.4f}")
