"""Which run of a soak begins next, and what the runs found."""

import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any, Protocol

from knotwork.errors import ToolError

from .random_networks import Family
from .runs import ENGINES, Job, run_job

MOST_FAULTS = 50
"""Faulty runs after which no other run begins."""
RUN_SECONDS = 15.0
"""Processor time that a run should take at most, approximately."""


class RunCallback(Protocol):
    """Called after every run with its job and what it found."""

    def __call__(self, job: Job, found: dict[str, Any], /) -> None: ...  # noqa: D102


@dataclass
class Tally:
    """Sums over the runs of an engine; `rows` are by family."""

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
    """What the runs of a family have spent so far."""

    runs: int = 0  # runs begun
    seconds: float = 0.01  # processor time of the runs that ended
    # Flits delivered and cycles simulated by them.
    flits: int = 1
    cycles: int = 1

    @property
    def turn(self) -> float:
        """Order of the families, least first: time is shared by the roots of their speeds."""
        return self.seconds / (self.flits / self.seconds) ** 0.5


class Soak:
    """Soak of one engine: a `share` of its flits, and each family once at least."""

    def __init__(self, engine: str, *, seed: int, share: float, known: list[Family]) -> None:
        self.tally = Tally(engine)
        self.seed = seed
        limits = ENGINES[engine]
        self.target = max(1, int(limits.flits * share))
        self.flits = max(1, min(limits.run_flits, self.target // (2 * len(known))))
        self.cycles = limits.run_cycles
        self.spent = {family: Spent() for family in known}
        self.running: dict[Future, Job] = {}

    def next_job(self) -> Job | None:
        """Run to begin now: of a family without a run, or of the family whose turn it is."""
        free = [family for family in self.spent if family not in self._families()] or self.spent
        family = min(free, key=lambda one: (self.spent[one].runs > 0, self.spent[one].turn))
        spent = self.spent[family]
        under_way = sum(job.flits for job in self.running.values())
        if spent.runs and self.tally.flits + under_way // 2 >= self.target:
            return None
        if len(self.tally.faults) >= MOST_FAULTS:
            return None
        number, speed = spent.runs, spent.cycles / spent.seconds
        cycles = max(self.cycles, int(speed * RUN_SECONDS) if number else 0)
        spent.runs += 1
        return Job(self.tally.engine, family, number, self.flits, cycles, self.seed)

    def _families(self) -> list[Family]:
        return [job.family for job in self.running.values()]

    def run(self, pool: Executor, jobs: int, until: float, on_run: RunCallback) -> None:
        """Run to the end, or begin no run after `until` on the monotonic clock."""
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
                self.spent[job.family].cycles += facts["clocks"]
                self.tally.add(job, facts)
                on_run(job, facts)
