"""Messages routed on line: no unit knows all of them, and the switches choose the uppers.

The rule of the gates is `lfsr`. The others are what it can be compared with.

References
----------
"Least Common Ancestor Networks", sections 3.1 and 3.3: packets are routed upwards at random.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...topology import LeastCommonAncestor
from ..circuits import (
    ScanStarts,
    initial_state,
    next_state,
    refused_by_nodes,
    rotate_uppers,
    scan_starts,
    serve,
)

_AT_ONCE = 1 << 18  # messages of the runs that are computed together


@dataclass(frozen=True)
class Runs:
    """Equal networks, in each of which a run goes on.

    Members
    -------
    topology : LeastCommonAncestor
        The network; it may be of several copies.
    seeds : ndarray
        Seed of each run, int64.
    """

    topology: LeastCommonAncestor
    seeds: np.ndarray

    def by_level(self, values: np.ndarray, level: int) -> np.ndarray:
        """Values of a level's switches, run after run and copy after copy, from (runs, routers)."""
        first = self.topology.first_switch[level]
        trees = values.reshape(-1, self.topology.switches)
        return trees[:, first : first + self.topology.level_sizes[level]].ravel()

    @property
    def trees(self) -> int:
        """Copies of the levels in all runs."""
        return len(self.seeds) * self.topology.copies


Serving = tuple[list[ScanStarts], np.random.Generator | None]
"""How the switches of every level serve in a network cycle; what draws the uppers of each header
where headers draw them by themselves."""

Rule = Callable[[Runs], Iterator[Serving]]
"""Rule by which switches choose, network cycle after network cycle."""


def _lfsr(runs: Runs) -> Iterator[Serving]:
    """Uppers in turn, from one that the switch's register says: the rule of the gates."""
    topology = runs.topology
    states = initial_state(runs.seeds[:, None], np.arange(topology.routers))
    while True:
        states = next_state(states)
        yield (
            [
                rotate_uppers(scan_starts(runs.by_level(states, level), d, u), u)
                for level, (d, u) in enumerate(zip(topology.downers, topology.uppers, strict=True))
            ],
            None,
        )


def _ideal(runs: Runs, *, draws_uppers: bool) -> Iterator[Serving]:
    """Uppers in a random order; inputs in turn from a random one."""
    topology, rng = runs.topology, np.random.default_rng(runs.seeds.tolist())
    while True:
        service = []
        for size, d, u in zip(topology.level_sizes, topology.downers, topology.uppers, strict=True):
            count = size * runs.trees
            order = np.argsort(rng.random((count, u)), axis=1)
            service.append(
                ScanStarts(rng.integers(d, size=count), rng.integers(u, size=count), order)
            )
        yield service, rng if draws_uppers else None


def _matching(runs: Runs) -> Iterator[Serving]:
    """Headers of a switch get its uppers by a random matching."""
    return _ideal(runs, draws_uppers=False)


def _independent(runs: Runs) -> Iterator[Serving]:
    """Every header draws its uppers by itself, and loses where another one has its upper."""
    return _ideal(runs, draws_uppers=True)


def _round_robin(runs: Runs) -> Iterator[Serving]:
    """Inputs and uppers in turn, from the next one in each network cycle."""
    topology, cycle = runs.topology, 0
    while True:
        service = []
        for size, d, u in zip(topology.level_sizes, topology.downers, topology.uppers, strict=True):
            first = np.tile(cycle + np.arange(size), runs.trees)
            service.append(
                rotate_uppers(ScanStarts(first % d, first % u, (first + cycle // u) % u), u)
            )
        yield service, None
        cycle += 1


CHOICES: dict[str, Rule] = {
    "lfsr": _lfsr,
    "matching": _matching,
    "round_robin": _round_robin,
    "independent": _independent,
}
"""Rules by which the switches choose uppers; the first is that of the gates."""


def on_line_cycles(
    topology: LeastCommonAncestor,
    sources: np.ndarray,
    destinations: np.ndarray,
    seeds: Sequence[int],
    *,
    choice: str = "lfsr",
) -> np.ndarray:
    """Network cycles until all messages are delivered, of a run with each seed, int64.

    In each, every PE offers the first of its messages that are left; of several copies, over that
    in which it is nearest to the destination.

    Parameters
    ----------
    topology, sources, destinations
        As for `rounds.schedule`.
    seeds : sequence of int
        Seed of each run: of the switches' registers, or of the bits that are drawn.
    choice : str
        One of `CHOICES`.
    """
    step = max(1, _AT_ONCE // max(len(sources), topology.routers))
    parts = [
        np.array(seeds[first : first + step], np.int64) for first in range(0, len(seeds), step)
    ]
    return np.concatenate(
        [_run(Runs(topology, part), sources, destinations, CHOICES[choice]) for part in parts]
    )


def _run(runs: Runs, sources: np.ndarray, destinations: np.ndarray, rule: Rule) -> np.ndarray:
    """Network cycles of each run."""
    topology, count = runs.topology, len(runs.seeds)
    run = np.repeat(np.arange(count), len(sources))
    sources, destinations = np.tile(sources, count), np.tile(destinations, count)
    copies = topology.nearest_copy(sources, destinations)
    level = topology.lca_level(sources, destinations)
    tree = (run * topology.copies + copies) * topology.nodes
    up, down = (
        tree + positions_in_copies(topology, copies, pes) for pes in (sources, destinations)
    )
    sources, destinations = (run * topology.nodes + pes for pes in (sources, destinations))
    left, cycles = np.arange(len(sources)), np.zeros(count, np.int64)
    rounds = rule(runs)
    while len(left):
        cycles[np.unique(run[left])] += 1
        offered = left[np.unique(sources[left], return_index=True)[1]]
        service, rng = next(rounds)
        words = None if rng is None else _drawn_words(topology, len(offered), rng)
        won = serve(topology, service, up[offered], down[offered], words).won
        if topology.copies > 1:
            own = level[offered], copies[offered], destinations[offered]
            won[refused_by_nodes(won, *own)] = False
        left = np.setdiff1d(left, offered[won], assume_unique=True)
    return cycles


def positions_in_copies(
    topology: LeastCommonAncestor, copies: np.ndarray, pes: np.ndarray
) -> np.ndarray:
    """Place of each PE in a copy of its own."""
    places = np.array(pes, np.int64)
    for copy in range(1, topology.copies):
        own = copies == copy
        places[own] = topology.position_in_copy(copy, pes[own])
    return places


def _drawn_words(topology: LeastCommonAncestor, count: int, rng: np.random.Generator) -> np.ndarray:
    """Upper on each level below the top, of so many headers."""
    below = topology.uppers[:-1]
    return rng.integers(below, size=(count, len(below)))
