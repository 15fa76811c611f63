"""A search: the plan of its graphs, how long they take, and the run that improves them."""

import os
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Work
from knotwork.progress import progress
from knotwork.wording import not_one_of

from ..sweep.workers import ClusterWorkers, LocalWorkers, OwnProcess, Workers, work
from ..traffic.files import RateMatrix
from .circulants import Ranking, best_steps
from .improve import MIXED, Aim, circulant, first_steps, improved, mixed, paired
from .rows import Bounds, Row, bounds, figures, nearest

AIMS = ("distance", "load")
"""What a search can lower."""
SECONDS = 4.0
"""Time that the swaps of a graph take, about, where their number is not given."""
FEWEST, MOST = 200, 300_000
"""Limits of that number."""

_WORD, _STEP, _WALK = 0.8e-9, 2.5e-9, 22e-9  # a link: a word of bits, without words, in a walk
_ORBITS = 4  # that a graph with rotations has at least


class Job(NamedTuple):
    """Graph to make.

    Members
    -------
    kind : str
        ``circulant``, ``random``, ``symmetric`` or ``published``.
    rotations : int
        Rotations that map it onto itself.
    number : int
        Which one of several.
    """

    kind: str
    rotations: int = 1
    number: int = 0

    def __str__(self) -> str:
        return f"the {self.kind} graph {self.number + 1}"


@dataclass(frozen=True, eq=False)
class Plan:
    """Search that a user asks for.

    Parameters
    ----------
    nodes, degree : int
        Routers, each with a node, and links of each.
    aim : str
        One of `AIMS`.
    traffic : RateMatrix or None
        Rates between the nodes; None where all send the same to all others.
    seed : int
        Seed of everything random.
    effort : int or None
        Swaps that are tried on each graph; None for as many as take about `SECONDS`.
    starts : int
        Graphs of every random kind.

    Raises
    ------
    ConfigurationError
        A degree that no graph of so many nodes has; a matrix of another size.
    """

    nodes: int
    degree: int
    aim: str = "distance"
    traffic: RateMatrix | None = None
    seed: int = 1
    effort: int | None = None
    starts: int = 2

    def __post_init__(self) -> None:
        nodes, degree = self.nodes, self.degree
        if self.aim not in AIMS:
            raise ConfigurationError(not_one_of("search: aim", AIMS, self.aim))
        if degree >= nodes:
            raise ConfigurationError(
                f"search: --degree must be less than the {nodes} nodes, not {degree}"
            )
        if nodes * degree % 2:
            raise ConfigurationError(
                f"search: --degree must be even where --nodes is odd ({nodes}), not {degree}"
            )
        if degree == 1 and nodes > 2:
            raise ConfigurationError(
                f"search: --degree must be at least 2 to connect {nodes} nodes, not 1"
            )
        if self.traffic is not None and self.traffic.nodes != nodes:
            raise ConfigurationError(
                f"search: --traffic must have a row for each of the {nodes} nodes, not "
                f"{self.traffic.nodes}"
            )

    @property
    def lowered(self) -> Aim:
        """What the search lowers: one flit per cycle for each node on average."""
        if self.traffic is None:
            return Aim(self.aim == "load")
        rates = self.traffic.rates * (self.nodes / self.traffic.rates.sum())
        return Aim(self.aim == "load", rates)

    def jobs(self) -> list[Job]:
        """Graphs to make, those that take longest first."""
        each = range(self.starts)
        made = [Job("random", 1, number) for number in each]
        made += [Job("symmetric", turns, number) for turns in self._rotations() for number in each]
        return [*made, Job("circulant"), Job("published")]

    def _rotations(self) -> list[int]:
        """Numbers of rotations of the graphs that have some: three, spread over what is possible.

        None where the nodes send unlike: a rotation would change the load.
        """
        nodes, degree = self.nodes, self.degree
        if self.traffic is not None or (degree % 2 and degree // 2 + 1 > (nodes - 1) // 2):
            return []
        possible = [
            turns
            for turns in range(2, nodes)
            if nodes % turns == 0
            and nodes * degree >= 2 * _ORBITS * turns
            and not degree * (nodes // turns) % 2
            and not (degree % 2 and nodes // turns % 2)
        ]
        spread = {possible[len(possible) * place // 6] for place in (1, 3, 5) if possible}
        return sorted(spread)

    def swaps(self, job: Job) -> int:
        """Swaps that are tried on a job's graph."""
        if self.effort is not None:
            return self.effort
        return round(min(max(SECONDS / self._swap_seconds(job), FEWEST), MOST))

    def _swap_seconds(self, job: Job) -> float:
        """Time of a swap, about."""
        links = self.nodes * self.degree
        base = self.nodes // job.rotations
        if self.aim == "load" or self.traffic is not None:
            return base * links * _WALK
        levels = 2 + np.log(self.nodes) / np.log(max(self.degree - 1, 1.5))
        return 1e-6 + links * levels * (_STEP + _WORD * -(-base // 64))

    def work(self, cores: int) -> Work:
        """Time and memory of the whole search on so many cores."""
        nodes = self.nodes
        measured = nodes * nodes * self.degree * _WALK
        seconds = 0.0
        for job in self.jobs():
            if job.kind == "published":
                seconds += 12 * measured
                continue
            seconds += 2 * measured + self.swaps(job) * self._swap_seconds(job)
            if job.kind == "circulant":
                seconds += Ranking(nodes, self.degree, self.lowered).walked * _WALK
            else:
                links = nodes * self.degree
                seconds += MIXED * links / job.rotations * links * 10 * _STEP
        table = nodes * nodes * 8 if self.traffic is not None else 0
        return Work(2 + seconds / cores, 200e6 + cores * (150e6 + 4 * table))


class Making(NamedTuple):
    """Task of a worker: called, it makes the graphs of a job.

    Members
    -------
    plan : Plan
    job : Job
    """

    plan: Plan
    job: Job

    def __call__(self) -> list[Row]:
        """Graph of the job, without and with swaps; or all published networks."""
        return MAKERS[self.job.kind](self.plan, self.job)

    @property
    def random(self) -> np.random.Generator:
        """Generator of the job's own."""
        kind = zlib.crc32(self.job.kind.encode())
        return np.random.default_rng([self.plan.seed, kind, *self.job[1:]])


def _circulants(plan: Plan, job: Job) -> list[Row]:
    random = Making(plan, job).random
    steps = best_steps(plan.nodes, plan.degree, plan.lowered, random)
    name = f"circulant {','.join(map(str, steps))}"
    rates = plan.lowered.rates
    table = circulant(plan.nodes, steps)
    first = Row(name, job.kind, figures(table, rates), 0, plan.nodes, table, steps)
    return [first, _swapped(plan, job, f"{name}, swapped", table, random)]


def _random(plan: Plan, job: Job) -> list[Row]:
    random, base = Making(plan, job).random, plan.nodes // job.rotations
    plain = circulant(plan.nodes, first_steps(plan.nodes, plan.degree))
    table = mixed(plain if job.rotations == 1 else paired(plan.nodes, plan.degree), base, random)
    name = "random" if job.rotations == 1 else f"random, {job.rotations} rotations"
    rows = [_swapped(plan, job, f"{name}, swapped", table, random)]
    if job.rotations == 1:
        rows.append(Row(name, job.kind, figures(table, plan.lowered.rates), neighbours=table))
    return rows


def _swapped(
    plan: Plan, job: Job, name: str, table: np.ndarray, random: np.random.Generator
) -> Row:
    swaps, base = plan.swaps(job), plan.nodes // job.rotations
    better = improved(table, base, plan.lowered, swaps, random)
    measured = figures(better, plan.lowered.rates)
    return Row(name, job.kind, measured, swaps, job.rotations, better)


def _published(plan: Plan, job: Job) -> list[Row]:
    rates = plan.lowered.rates
    networks = nearest(plan.nodes, plan.degree, exactly=plan.traffic is not None)
    return [
        Row(name, job.kind, figures(each.neighbours, rates, each.peer_ports))
        for name, each in networks.items()
    ]


MAKERS = {
    "circulant": _circulants,
    "random": _random,
    "symmetric": _random,
    "published": _published,
}
"""What makes the graphs of a job, by its kind."""


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
