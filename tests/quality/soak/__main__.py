"""`make soak`: a billion flits on the golden model, ten million in Verilog, none of them lost.

The seed and a run's number decide its network and traffic (`random_networks`), so the number
repeats the run. In every run each beat must reach its node once, whole and in order (`arrivals`);
in Verilog also in the same cycle as on the golden model. The family with the least time runs next,
so every network has its share, however slow it is. Runs are short enough to bound the memory.
"""

import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
from knotwork.cli import output
from knotwork.errors import CheckFailedError, ConfigurationError
from knotwork.files import write_file
from knotwork_sim.sweep.workers import follow_parent
from rich.console import Console
from rich.progress import Progress

from ..names import run
from .random_networks import Family, families
from .runs import ENGINES, Job, Soak, Tally, run_job

FILE = Path("build", "soak.json")
KEEP_SECONDS = 5
"""Time between two writes of the figures so far."""


@dataclass(frozen=True)
class Options:
    """Options of the command line, by their names there."""

    seed: int
    share: float
    minutes: float | None
    engine: str | None
    only: str | None
    jobs: int
    run: str | None
    flits: int
    clocks: int
    file: Path


def replayed(run: str, *, seed: int, flits: int, cycles: int) -> dict[str, Any]:
    """Repeat one run, named ENGINE/TOPOLOGY/ROUTING/ROUTER/NUMBER as a failure names it."""
    engine, *family, number = run.split("/") if run.count("/") == 4 else ("", "", "")
    if engine not in ENGINES or Family(*family) not in families() or not number.isdecimal():
        raise ConfigurationError(
            f"soak: --run must be ENGINE/TOPOLOGY/ROUTING/ROUTER/NUMBER, not {run!r}"
        )
    return run_job(Job(engine, Family(*family), int(number), flits, cycles, seed))


def chosen_families(only: str | None) -> list[Family]:
    """Families whose name has the text `only`; all if it is None."""
    known = [family for family in families() if (only or "") in str(family)]
    if not known:
        names = ", ".join(map(str, families()))
        raise ConfigurationError(f"soak: --only must be part of one of {names}, not {only!r}")
    return known


@click.command()
@click.option("--seed", type=click.IntRange(0, 2**31), default=1, show_default=True)
@click.option(
    "--share", type=click.FloatRange(0, 1, min_open=True), default=1.0, help="Part of all flits."
)
@click.option("--minutes", type=click.FloatRange(0), help="Begin no run after this time.")
@click.option("--engine", type=click.Choice(list(ENGINES)), help="Soak one engine only.")
@click.option("--only", metavar="TEXT", help="Soak the families whose names have this text.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option("--run", "run", metavar="NAME", help="Repeat one run, as a failure names it.")
@click.option("--flits", type=click.IntRange(1), default=100_000, help="Flits of that run.")
@click.option("--clocks", type=click.IntRange(1), default=100_000, help="Cycles of that run.")
@click.option("-o", "file", type=click.Path(path_type=Path), default=FILE, show_default=True)
def soak(**words: Any) -> None:
    """Simulate random networks for hours, and check that nothing is lost."""
    options = Options(**words)
    if options.run is None:
        print_totals(soak_all(options))
        return
    found = replayed(options.run, seed=options.seed, flits=options.flits, cycles=options.clocks)
    output.facts(options.run, {key: value for key, value in found.items() if key != "run"})
    if found["faults"]:
        raise CheckFailedError(f"{options.run}: {'; '.join(found['faults'])}")


def soak_all(options: Options) -> list[Tally]:
    """Soak the chosen engines and families; the file has the figures meanwhile and in the end."""
    minutes = float("inf") if options.minutes is None else options.minutes
    until = time.monotonic() + 60 * minutes
    known, console = chosen_families(options.only), Console(stderr=True)
    engines = [name for name in ENGINES if options.engine in (None, name)]
    soaks = [Soak(name, seed=options.seed, share=options.share, known=known) for name in engines]
    begin, kept = time.time(), 0.0

    def keep() -> None:
        """Write the figures so far."""
        nonlocal kept
        kept = time.monotonic()
        report: dict[str, Any] = {"seed": options.seed, "share": options.share}
        report["seconds"] = round(time.time() - begin)
        report |= {made.tally.engine: asdict(made.tally) for made in soaks}
        write_file(options.file, json.dumps(report, indent=2) + "\n")

    context = get_context("spawn")
    with (
        Progress(console=console, disable=not console.is_terminal) as bar,
        ProcessPoolExecutor(options.jobs, mp_context=context, initializer=follow_parent) as pool,
    ):
        for made in soaks:
            task = bar.add_task(f"{made.tally.engine}, flits", total=made.target)

            def on_run(
                job: Job, found: dict[str, Any], made: Soak = made, task: Any = task
            ) -> None:
                bar.update(task, completed=made.tally.flits)
                for fault in found["faults"]:
                    console.print(f"{found['run']}: {fault}: {job.command}")
                if time.monotonic() - kept > KEEP_SECONDS:
                    keep()

            made.run(pool, options.jobs, until, on_run)
    keep()
    return [made.tally for made in soaks]


def print_totals(tallies: list[Tally]) -> None:
    """Print the sums over all runs; an error has the command that repeats the first faulty."""
    columns = ("family", "runs", "flits", "seconds", "peak MiB")
    for tally in tallies:
        title = f"{tally.engine}: {tally.flits:,} flits, {len(tally.faults)} runs with faults"
        output.table(title, columns, [list(row.values()) for row in tally.rows.values()])
    failed = [fault["command"] for tally in tallies for fault in tally.faults]
    if failed:
        raise CheckFailedError(f"{len(failed)} runs failed; {failed[0]} repeats the first")


if __name__ == "__main__":
    run(soak, "soak")
