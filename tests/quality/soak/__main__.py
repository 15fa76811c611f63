"""`make soak`: a thousand million flits on the golden model, ten million in Verilog, none lost.

A run is a network and traffic drawn from its number (`draws`), so that its number repeats it. In
every run each beat must reach its node once, whole and in order (`arrivals`); in Verilog also in
the same clock as on the golden model. The family that had least time runs next, so all networks
have their share, however slow. Runs are short enough to bound the memory.
"""

import json
import sys
import time
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NoReturn

import click
from knotwork.cli import output as answers
from knotwork.errors import CheckFailedError, ConfigurationError, KnotworkError, ToolError
from knotwork.files import write_whole
from knotwork_sim.sweep.workers import follow_parent
from rich.console import Console
from rich.progress import Progress

from .random_networks import Family, families
from .runs import ENGINES, Job, run_job

FILE = Path("build", "soak.json")
MOST_FAULTS = 50
"""Runs with faults after which no other begins."""
RUN_SECONDS = 15.0
"""Processor time that a run should take, about and at most."""


@dataclass
class Tally:
    """What runs of an engine came to; `rows` by family."""

    engine: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    flits: int = 0
    faults: list[dict[str, Any]] = field(default_factory=list)

    def add(self, job: Job, facts: dict[str, Any]) -> None:
        """Count a run."""
        empty = {"family": str(job.family), "runs": 0, "flits": 0, "seconds": 0.0, "peak_mib": 0}
        row = self.rows.setdefault(str(job.family), empty)
        row["runs"] += 1
        row["flits"] += facts["flits"]
        row["seconds"] = round(row["seconds"] + facts["seconds"], 2)
        row["peak_mib"] = max(row["peak_mib"], facts["peak_mib"])
        self.flits += facts["flits"]
        if facts["faults"]:
            self.faults.append({**facts, "command": job.command})


@dataclass
class Spent:
    """What a family has had.

    Members
    -------
    runs : int
        Begun.
    seconds : float
    flits, clocks : int
    """

    runs: int = 0
    seconds: float = 0.01
    flits: int = 1
    clocks: int = 1

    @property
    def turn(self) -> float:
        """The least is next: time is shared as the roots of the families' speeds."""
        return self.seconds / (self.flits / self.seconds) ** 0.5


class Soak:
    """Soak of an engine.

    Parameters
    ----------
    engine : str
        ``model`` or ``rtl``.
    share : float
        Part of the engine's flits, above 0.
    known : list of Family
        What is soaked; each has one run at least.
    """

    def __init__(self, engine: str, *, seed: int, share: float, known: list[Family]) -> None:
        self.tally = Tally(engine)
        self.seed = seed
        of = ENGINES[engine]
        self.target = max(1, int(of.flits * share))
        self.flits = max(1, min(of.run_flits, self.target // (2 * len(known))))
        self.clocks = of.run_clocks
        self.spent = {family: Spent() for family in known}
        self.running: dict[Future, Job] = {}

    def next_job(self) -> Job | None:
        """Run to begin now: of a family that had none, else of the one whose turn it is."""
        free = [family for family in self.spent if family not in self._families()] or self.spent
        family = min(free, key=lambda one: (self.spent[one].runs > 0, self.spent[one].turn))
        spent = self.spent[family]
        under_way = sum(job.flits for job in self.running.values())
        if spent.runs and self.tally.flits + under_way // 2 >= self.target:
            return None
        if len(self.tally.faults) >= MOST_FAULTS:
            return None
        number, speed = spent.runs, spent.clocks / spent.seconds
        clocks = max(self.clocks, int(speed * RUN_SECONDS) if number else 0)
        spent.runs += 1
        return Job(self.tally.engine, family, number, self.flits, clocks, self.seed)

    def _families(self) -> list[Family]:
        return [job.family for job in self.running.values()]

    def run(self, pool: Executor, jobs: int, until: float, told: Any) -> None:
        """Run to the end, or till the clock says `until`; `told` is called after every run."""
        while True:
            while len(self.running) < jobs and time.monotonic() < until:
                job = self.next_job()
                if job is None:
                    break
                self.running[pool.submit(run_job, job)] = job
            if not self.running:
                return
            done, _ = wait(self.running, return_when=FIRST_COMPLETED)
            for future in done:
                job = self.running.pop(future)
                try:
                    facts = future.result()
                except BrokenExecutor:
                    raise ToolError(f"a worker must finish {job.command}, but died") from None
                self.spent[job.family].seconds += facts["seconds"]
                self.spent[job.family].flits += facts["flits"]
                self.spent[job.family].clocks += facts["clocks"]
                self.tally.add(job, facts)
                told(job, facts)


def replayed(run: str, *, seed: int, flits: int, clocks: int) -> dict[str, Any]:
    """Facts of one run, named as a failure names it: ENGINE/TOPOLOGY/ROUTING/ROUTER/NUMBER."""
    engine, *family, number = run.split("/") if run.count("/") == 4 else ("", "", "")
    if engine not in ENGINES or Family(*family) not in families() or not number.isdecimal():
        raise ConfigurationError(
            f"soak: --run must be ENGINE/TOPOLOGY/ROUTING/ROUTER/NUMBER, not {run!r}"
        )
    return run_job(Job(engine, Family(*family), int(number), flits, clocks, seed))


def chosen_families(only: str | None) -> list[Family]:
    """Families whose name begins so; all if None."""
    known = [family for family in families() if str(family).startswith(only or "")]
    if not known:
        names = ", ".join(map(str, families()))
        raise ConfigurationError(f"soak: --only must begin one of {names}, not {only!r}")
    return known


@click.command()
@click.option("--seed", type=click.IntRange(0, 2**31), default=1, show_default=True)
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), default=1.0, help="Of all.")
@click.option("--minutes", type=click.FloatRange(0), help="Begin no run after so many.")
@click.option("--engine", type=click.Choice(list(ENGINES)), help="One of them alone.")
@click.option("--only", metavar="TOPOLOGY[/...]", help="Families that begin so.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option("--run", "run", metavar="NAME", help="Repeat one run, as a failure names it.")
@click.option("--flits", type=click.IntRange(1), default=100_000, help="Of a run repeated.")
@click.option("--clocks", type=click.IntRange(1), default=100_000, help="Of a run repeated.")
@click.option("-o", "file", type=click.Path(path_type=Path), default=FILE, show_default=True)
def soak(
    *,
    seed: int,
    share: float,
    minutes: float | None,
    engine: str | None,
    only: str | None,
    jobs: int,
    run: str | None,
    flits: int,
    clocks: int,
    file: Path,
) -> None:
    """Run networks for long, and tell what was lost: nothing."""
    if run is not None:
        facts = replayed(run, seed=seed, flits=flits, clocks=clocks)
        answers.facts(run, {key: value for key, value in facts.items() if key != "run"})
        if facts["faults"]:
            raise CheckFailedError(f"{run}: {'; '.join(facts['faults'])}")
        return
    until = time.monotonic() + 60 * minutes if minutes is not None else float("inf")
    known, console = chosen_families(only), Console(stderr=True)
    soaks = [
        Soak(name, seed=seed, share=share, known=known)
        for name in ENGINES
        if engine in (None, name)
    ]
    begin = time.time()

    kept = 0.0

    def keep() -> None:
        """Leave the figures so far, once in a while."""
        nonlocal kept
        kept = time.monotonic()
        told = {"seed": seed, "share": share, "seconds": round(time.time() - begin)}
        told |= {made.tally.engine: asdict(made.tally) for made in soaks}
        write_whole(file, json.dumps(told, indent=2) + "\n")

    context = get_context("spawn")
    with (
        Progress(console=console, disable=not console.is_terminal) as bar,
        ProcessPoolExecutor(jobs, mp_context=context, initializer=follow_parent) as pool,
    ):
        for made in soaks:
            task = bar.add_task(f"{made.tally.engine}, flits", total=made.target)

            def told(job: Job, facts: dict[str, Any], made: Soak = made, task: Any = task) -> None:
                bar.update(task, completed=made.tally.flits)
                for fault in facts["faults"]:
                    console.print(f"{facts['run']}: {fault}: {job.command}")
                if time.monotonic() - kept > 5:
                    keep()

            made.run(pool, jobs, until, told)
    keep()
    tell([made.tally for made in soaks])


def tell(tallies: list[Tally]) -> None:
    """Print what the runs came to.

    Raises
    ------
    CheckFailedError
        A run that had a fault, with the command that repeats it.
    """
    columns = ("family", "runs", "flits", "seconds", "peak MiB")
    for tally in tallies:
        title = f"{tally.engine}: {tally.flits:,} flits, {len(tally.faults)} runs with faults"
        answers.table(title, columns, [list(row.values()) for row in tally.rows.values()])
    failed = [fault["command"] for tally in tallies for fault in tally.faults]
    if failed:
        raise CheckFailedError(f"{len(failed)} runs failed; {failed[0]} repeats the first")


def main() -> NoReturn:
    """Entry point of the module: expected failures are one line on stderr."""
    try:
        soak()
    except KnotworkError as error:
        print("soak: error:", error, file=sys.stderr)
        sys.exit(error.status)
    sys.exit()  # which click does by itself


if __name__ == "__main__":
    main()
