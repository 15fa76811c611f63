"""Messages routed on line: no unit knows all of them, and the switches choose the uppers.

`on_line_cycles` measures how long they take. Of its rules of choice, `lfsr` is that of the gates;
the others are what it can be compared with.

`Expectation` computes the exact expectation with ideal random bits. In every network cycle each
switch draws, independently and uniformly, the input from below and the one from above that it
serves first, and the upper that it gives first; a switch that has an LFSR comes close. All outcomes
are enumerated. A draw splits the outcomes only where something depends on it, so that small
networks have few.

References
----------
"Least Common Ancestor Networks", sections 3.1 and 3.3: packets are routed upwards at random.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import mul

import numpy as np

from ...errors import ConfigurationError
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


def _drawn_words(
    topology: LeastCommonAncestor, count: int, rng: "np.random.Generator"
) -> np.ndarray:
    """Upper on each level below the top, of so many headers."""
    below = topology.uppers[:-1]
    return rng.integers(below, size=(count, len(below)))


OUTCOME_LIMIT = 1 << 16
"""Outcomes of a network cycle that are enumerated."""

Message = tuple[int, int, int]
"""Number of a message among all, which parts equal ones, its source and its destination."""

_FAR = 1 << 20  # farther than any input from the one that is served first


class Expectation:
    """Expected network cycles of sets of messages of a network.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network. Successive sets share what was computed.
    """

    def __init__(self, topology: LeastCommonAncestor) -> None:
        self.topology = topology
        self._known: dict[frozenset[Message], dict[int, Fraction]] = {}

    def cycles(self, sources: np.ndarray, destinations: np.ndarray) -> Fraction:
        """Expected number of network cycles."""
        chances = self.distribution(sources, destinations)
        return sum((count * chance for count, chance in chances.items()), Fraction(0))

    def distribution(self, sources: np.ndarray, destinations: np.ndarray) -> dict[int, Fraction]:
        """Probability of each number of network cycles.

        In each of them, every PE offers the first of its messages that are left.

        Raises
        ------
        ConfigurationError
            More than `OUTCOME_LIMIT` outcomes of one network cycle.
        """
        pairs = zip(sources.tolist(), destinations.tolist(), strict=True)
        return self._of(frozenset((number, s, t) for number, (s, t) in enumerate(pairs)))

    def _of(self, left: frozenset[Message]) -> dict[int, Fraction]:
        if not left:
            return {0: Fraction(1)}
        if left not in self._known:
            found: dict[int, Fraction] = {}
            for won, chance in self._network_cycle(left):
                for count, share in self._of(left - won).items():
                    found[count + 1] = found.get(count + 1, Fraction(0)) + chance * share
            self._known[left] = dict(sorted(found.items()))
        return self._known[left]

    def _network_cycle(
        self, left: frozenset[Message]
    ) -> Iterator[tuple[frozenset[Message], Fraction]]:
        """Messages that win, and how likely, for every possible set of them."""
        first = {source: (number, source, t) for number, source, t in sorted(left, reverse=True)}
        offered = sorted(first.values())
        _, sources, destinations = np.array(offered, np.int64).T
        outcomes = _Outcomes(self.topology, sources, destinations)
        ways = np.concatenate([outcomes["alive"], outcomes["draws"]], axis=1)
        chances: dict[bytes, Fraction] = {}
        for way, times in zip(*np.unique(ways, axis=0, return_counts=True), strict=True):
            won, draws = way[: len(offered)].astype(bool), way[len(offered) :].tolist()
            likely = reduce(mul, (results**n for results, n in enumerate(draws)), 1)
            chance = chances.get(won.tobytes(), Fraction(0))
            chances[won.tobytes()] = chance + Fraction(int(times), likely)
        for key, chance in chances.items():
            won = np.frombuffer(key, bool)
            yield frozenset(one for one, wins in zip(offered, won, strict=True) if wins), chance


class _Outcomes:
    """All outcomes of a network cycle in which each PE offers one message at most.

    Every part is an array with a row per outcome: ``alive`` (whether each message has not lost),
    ``switch`` and ``came`` (the switch of its level that each has reached, and by which input),
    ``port`` (by which it goes on), ``draws`` (numbers of draws with 0, 1, 2, ... results); and by
    their places, what switches have drawn and given out.
    """

    def __init__(
        self, topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
    ) -> None:
        self.topology = topology
        self.destinations = destinations
        self.tops = topology.lca_level(sources, destinations)
        switch, came = np.divmod(sources, topology.radices[0])
        most = max(*topology.downers, *topology.uppers)
        self._parts: dict[Hashable, np.ndarray] = {
            "alive": np.ones((1, len(sources)), bool),
            "switch": switch[None],
            "came": came[None],
            "port": came[None] * 0,
            "draws": np.zeros((1, most + 1), np.int64),
        }
        for level in range(topology.levels - 1):
            self._climb(level)
        for top in range(topology.levels):
            for level in range(top, -1, -1):
                self._descend(top, level)

    def __getitem__(self, part: Hashable) -> np.ndarray:
        return self._parts[part]

    def _noted(self, place: Hashable, unknown: int) -> np.ndarray:
        """What is noted of a place in each outcome; `unknown` where nothing is."""
        if place not in self._parts:
            self._parts[place] = np.full(len(self["alive"]), unknown)
        return self._parts[place]

    def _draw(self, place: Hashable, where: np.ndarray, results: int) -> None:
        """Part some outcomes by a draw of so many results, which is noted."""
        self._noted(place, -1)
        times = np.where(where, results, 1)
        picked = np.repeat(np.arange(len(times)), times)
        if len(picked) > OUTCOME_LIMIT:
            raise ConfigurationError(
                f"{self.topology.instance_name}: outcomes of a network cycle must be at most "
                f"{OUTCOME_LIMIT} to be enumerated, not {len(picked)} or more"
            )
        self._parts = {name: part[picked] for name, part in self._parts.items()}
        drawn = np.arange(len(picked)) - (np.cumsum(times) - times)[picked]
        self._parts[place] = np.where(where[picked], drawn, self[place])
        self["draws"][:, results] += where[picked]

    def _ranks(self, here: np.ndarray, place: Hashable, inputs: int) -> np.ndarray:
        """Place of each message that is `here` in the order in which its switch serves them."""
        start = self._noted(place, -1).clip(min=0)[:, None]
        far = np.where(here, (self["came"] - start) % inputs, _FAR)
        return np.argsort(np.argsort(far, axis=1, kind="stable"), axis=1)

    def _climb(self, level: int) -> None:
        """Give the headers that go up from a level their uppers."""
        topology, going = self.topology, self.tops > level
        downers, uppers = topology.downers[level], topology.uppers[level]
        for number in range(topology.level_sizes[level]):
            below, first = ("below", level, number), ("upper", level, number)

            def here(number: int = number) -> np.ndarray:
                return self["alive"] & going & (self["switch"] == number)

            count = here().sum(axis=1)
            if not count.any():
                continue
            self._draw(first, count > 0, uppers)
            count = here().sum(axis=1)
            # As many headers as uppers take turns: with the upper drawn, the order changes nothing.
            self._draw(below, (count > 1) & (count != uppers), downers)
            rank = self._ranks(here(), below, downers)
            upper = (self[first][:, None] + rank) % uppers
            self._parts["port"] = np.where(here(), upper, self["port"])
            self._parts["alive"] = self["alive"] & ~(here() & (rank >= uppers))
        moved = topology.up(level, self["switch"], self["port"])
        self._move(self["alive"] & going, moved)

    def _descend(self, top: int, level: int) -> None:
        """Give the headers with LCA level `top` their wires down from a level."""
        topology, group = self.topology, self.tops == top
        wires, inputs = topology.wires[level], topology.uppers[level]
        side = "above"
        if level == top:
            side, inputs = "below", topology.downers[level]
        wanted = topology.digit(self.destinations, level)
        for number in range(topology.level_sizes[level]):
            start = side, level, number
            for child in range(topology.radices[level]):
                given, own = ("given", level, number, child), group & (wanted == child)

                def here(number: int = number, own: np.ndarray = own) -> np.ndarray:
                    return self["alive"] & own & (self["switch"] == number)

                count = here().sum(axis=1)
                if not count.any():
                    continue
                free = wires - self._noted(given, 0)
                matters = (count > 1) & (free > 0) & ((count > free) | (wires > 1))
                self._draw(start, matters & (self._noted(start, -1) < 0), inputs)
                wire = self[given][:, None] + self._ranks(here(), start, inputs)
                port = child * wires + wire
                self._parts["port"] = np.where(here(), port, self["port"])
                gets = here() & (wire < wires)
                self._parts["alive"] = self["alive"] & (gets | ~here())
                self._parts[given] = self[given] + gets.sum(axis=1)
        self._move(self["alive"] & group, topology.down(level, self["switch"], self["port"]))

    def _move(self, moving: np.ndarray, reached: tuple[np.ndarray, np.ndarray]) -> None:
        """Take messages to the switches that they have reached."""
        for part, there in zip(("switch", "came"), reached, strict=True):
            self._parts[part] = np.where(moving, there, self[part])
