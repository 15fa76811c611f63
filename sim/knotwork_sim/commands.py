"""Verb of the simulator: simulate."""

from pathlib import Path
from typing import Any

import click
from knotwork import answers
from knotwork.answers import as_json
from knotwork.commands import network_words
from knotwork.errors import CheckFailedError

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
@as_json
def simulate(words: tuple[str, ...], engine: str, trace_file: Path | None, as_json: bool) -> None:
    """Send traffic through a network's Verilog and its golden model.

    Traffic keys: traffic (uniform, complement, transpose, reversal, shuffle, neighbour, hotspot,
    permutation), permutation, rate, packets, length, bubble, stall, seed.
    """
    from . import simulate as simulation

    network, traffic = simulation.split_words(words)
    result = simulation.simulate(network, traffic, engine=engine, trace_file=trace_file)
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
