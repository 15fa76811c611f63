"""`search`: graphs of one size and degree, made by many processes, and the best of them."""

import os
from dataclasses import dataclass
from typing import Any

from knotwork.progress import progress

from ..sweep.workers import ClusterWorkers, LocalWorkers, OwnProcess, Workers, work
from .figures import Bounds, bounds
from .plan import Job, Making, Plan
from .rows import Row

QUICK = 6.0
"""Seconds below which no other processes are started."""


@dataclass(frozen=True, eq=False)
class Found:
    """Answer of a search.

    Members
    -------
    plan : Plan
        What was asked.
    rows : tuple of Row
        Best graph of each kind, the best one first.
    published : tuple of Row
        Networks of about the size, the best one first.
    """

    plan: Plan
    rows: tuple[Row, ...]
    published: tuple[Row, ...]

    @property
    def best(self) -> Row:
        """Best graph that was found."""
        return self.rows[0]

    @property
    def bounds(self) -> Bounds:
        """Least figures that a graph of the size and degree could have."""
        return bounds(self.plan.nodes, self.plan.degree, self.plan.lowered.rates)

    def as_json(self) -> dict[str, Any]:
        """Fields that ``search --json`` promises."""
        plan, aim = self.plan, self.plan.lowered
        return {
            "nodes": plan.nodes,
            "degree": plan.degree,
            "aim": plan.aim,
            "traffic": None if plan.traffic is None else str(plan.traffic),
            "seed": plan.seed,
            "starts": plan.starts,
            "bounds": self.bounds._asdict(),
            "best": self.best.as_json(aim) | {"edges": self.best.links()},
            "found": [row.as_json(aim) for row in self.rows],
            "published": [row.as_json(aim) for row in self.published],
        }


def run_search(plan: Plan, *, scheduler: str | None = None) -> Found:
    """Make the graphs of a plan, and rank them.

    Parameters
    ----------
    scheduler : str or None
        Address of a Dask cluster; None for one process per core of this machine.

    Raises
    ------
    ToolError
        The scheduler does not answer, or workers die again and again.
    """
    jobs, made = plan.jobs(), dict[Job, list[Row]]()
    workers = _workers(plan, scheduler)
    try:
        with progress("searching", total=len(jobs), unit="graphs") as task:

            def finish(job: Job, rows: list[Row]) -> None:
                made[job] = rows
                task()

            wanted = lambda: [job for job in jobs if job not in made]  # noqa: E731
            work(workers, wanted, lambda job: Making(plan, job), finish)
    finally:
        workers.close()
    rows = [row for job in jobs for row in made[job]]
    # Of equal graphs, the one with the simplest rule comes first.
    ranked = sorted(rows, key=lambda row: (row.merit(plan.lowered), row.swaps, -row.rotations))
    best = {row.name: row for row in reversed(ranked) if len(row.neighbours)}
    return Found(
        plan,
        tuple(row for row in ranked if best.get(row.name) is row),
        tuple(row for row in ranked if not len(row.neighbours)),
    )


def cores(plan: Plan) -> int:
    """Processes that this machine has for a plan."""
    return min(len(os.sched_getaffinity(0)), len(plan.jobs()))


def _workers(plan: Plan, scheduler: str | None) -> Workers:
    if scheduler is not None:
        return ClusterWorkers(scheduler)
    if plan.work(1).seconds < QUICK:
        return OwnProcess()
    return LocalWorkers(cores(plan))
