"""Verbs of the simulator: simulate and sweep."""

from dataclasses import astuple
from pathlib import Path
from typing import Any

import click
from knotwork import answers
from knotwork.answers import as_json
from knotwork.commands import network_words
from knotwork.errors import CheckFailedError, ConfigurationError

from .golden import ENGINES


@click.command()
@network_words
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="both",
    show_default=True,
    help="The Verilog, the golden model, or both compared.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a waveform, .vcd or .fst, with a GTKWave save file beside it.",
)
@click.option(
    "--schedule",
    "schedule_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With routing=scheduled: rounds, as `knotwork schedule --json` tells them.",
)
@click.option(
    "--repeat",
    "times",
    type=click.IntRange(1, 100_000),
    help="Run so many times, with seed, seed + 1, ..., and tell sums and means.",
)
@as_json
def simulate(  # noqa: PLR0917 - click names them
    words: tuple[str, ...],
    engine: str,
    trace_file: Path | None,
    schedule_file: Path | None,
    times: int | None,
    as_json: bool,
) -> None:
    """Send traffic through a network's Verilog and its golden model.

    Traffic keys: traffic (uniform, complement, transpose, reversal, shuffle, neighbour, hotspot,
    permutation), permutation, rate, packets, length, bubble, stall, seed.
    """
    from . import simulate as simulation

    network, traffic = simulation.split_words(words)
    if times is not None and (trace_file or schedule_file):
        raise ConfigurationError("simulate: --repeat must be without --trace and --schedule")
    if times is None:
        rounds = simulation.read_schedule(network, schedule_file) if schedule_file else None
        result = simulation.simulate(
            network, traffic, engine=engine, trace_file=trace_file, rounds=rounds
        )
    else:
        result = simulation.repeat(network, traffic, times=times, engine=engine)
    if as_json:
        answers.print_json(result)
    else:
        answers.facts(network.name, _cells(result))
    found = simulation.faults(result)
    if found:
        counts = ", ".join(f"{field} {result[field]}" for field in found)
        raise CheckFailedError(
            f"{network.name}: a simulation must lose nothing and match its model, not {counts}; "
            f"seed={traffic.seed} repeats it"
        )


def _cells(result: dict[str, Any]) -> dict[str, Any]:
    cells = {key: value for key, value in result.items() if key not in ("network", "latency")}
    latency = {f"latency {name}": value for name, value in result["latency"].items()}
    return cells | latency


@click.command()
@click.argument("nets", metavar="NET [NET...]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--permutation",
    metavar="NAME",
    help="worst (all pairs meet on the top level), random, identity, complement, reversal, "
    "transpose, shuffle, or destinations a,b,...",
)
@click.option(
    "--repeat",
    "times",
    type=click.IntRange(2, 100_000),
    default=100,
    show_default=True,
    help="Permutations a network, with seed, seed + 1, ...",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=1,
    show_default=True,
    help="Of the first permutation, and of the switches in it.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw a figure, .svg or .png; its numbers go into a .csv file beside it.",
)
@as_json
def sweep(  # noqa: PLR0917 - click names them
    nets: tuple[str, ...],
    permutation: str | None,
    times: int,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Tell how the network cycles of permutations grow with a network.

    Each NET is one word, and a key may be a range: lcan:d=2,u=2,levels=2-10.
    """
    from . import figures, growth, growth_plots

    if permutation is None:
        raise ConfigurationError("sweep: --permutation must be given")
    if output is not None:
        figures.check_figure(output)
    found = growth.sweep(nets, permutation=permutation, repeat=times, seed=seed)
    answer: dict[str, Any] = {"permutation": permutation, "repeat": times, "seed": seed}
    answer["sweeps"] = [swept.as_json() for swept in found]
    if output is not None:
        which = "one" if "," in permutation else permutation  # a list may be long
        title = f"Permutations ({which}), {times} a size: means and 95 % confidence"
        answer["figure"] = str(output)
        answer["table"] = str(growth_plots.write_figure(output, found, title=title))
    if as_json:
        answers.print_json(answer)
        return
    columns = ("PEs", "levels", "network cycles", "95 %", "min", "max", "lower bound")
    for swept in found:
        rows = [
            [str(cell) if isinstance(cell, int) else f"{cell:.3f}" for cell in astuple(point)]
            for point in swept.points
        ]
        answers.table(swept.label, columns, rows)
        for fit in swept.fits:
            rank = "better fit" if fit is swept.fits[0] else "other fit"
            click.echo(f"{rank}: {fit.formula}, R^2 {fit.r2:.4f}")
