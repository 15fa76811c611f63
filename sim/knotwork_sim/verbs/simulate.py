"""`simulate`: traffic through a network's Verilog and golden model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import OneOf, as_json, network_words
from knotwork.errors import CheckFailedError, ConfigurationError

from ..check.engines import ENGINES

if TYPE_CHECKING:
    from ..check.result import SimulationResult


@verb()
@network_words
@click.option(
    "--engine",
    type=OneOf(ENGINES),
    default="both",
    show_default=True,
    help="Run the Verilog, the golden model, or both and compare them.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a waveform, .vcd or .fst, and a GTKWave save file beside it.",
)
@click.option(
    "--schedule",
    "schedule_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For routing=scheduled: rounds, as `knotwork schedule --json` writes them.",
)
@click.option(
    "--repeat",
    "times",
    type=click.IntRange(1, 100_000),
    help="Run so many times, with seed, seed + 1, ..., and answer with sums and means.",
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
    """Send traffic through a network's Verilog and golden model.

    Traffic keys: traffic (uniform, complement, transpose, reversal, shuffle, neighbour, hotspot,
    permutation), permutation, rate, packets, length, bubble, stall, seed.
    """
    from ..check import repeat as repetition
    from ..check import simulate as simulation

    network, traffic = simulation.split_words(words)
    if times is not None and (trace_file or schedule_file):
        raise ConfigurationError("simulate: --repeat must not go with --trace or --schedule")
    if times is None:
        rounds = simulation.read_schedule(network, schedule_file) if schedule_file else None
        result = simulation.simulate(
            network, traffic, engine=engine, trace_file=trace_file, rounds=rounds
        )
    else:
        result = repetition.repeat(network, traffic, times=times, engine=engine)
    if as_json:
        output.print_json(result.as_json())
    else:
        output.facts(network.name, _cells(result))
    if result.faults:
        counts = ", ".join(f"{name} {count}" for name, count in result.faults.items())
        raise CheckFailedError(
            f"{network.name}: a simulation must lose nothing and match its model, not {counts}; "
            f"seed={traffic.seed} repeats it"
        )


def _cells(result: "SimulationResult") -> dict[str, object]:
    """Facts of a result, with a row per figure of the latency."""
    fields = result.as_json().items()
    cells = {key: value for key, value in fields if key not in ("network", "latency")}
    latency = {f"latency {name}": value for name, value in result.latency.as_json().items()}
    return cells | latency
