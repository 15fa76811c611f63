"""Verb of the simulator: simulate."""

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
