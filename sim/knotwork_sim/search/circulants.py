# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Best circulant of a degree: of all sets of steps where they are few, else by local search."""

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb, inf

import numpy as np

from ..compiled import loop
from .improve import LITTLE, Aim, spread

WALKED = 400_000_000
"""Links that are walked at most, about, while sets of steps are compared."""
_AT_ONCE = 4096  # sets that are compared between two looks at the outside


class Ranking:
    """Costs of circulants.

    Parameters
    ----------
    nodes : int
        Routers.
    degree : int
        Links of each; where it is odd, half the routers are a step of every circulant.
    """

    def __init__(self, nodes: int, degree: int, aim: Aim) -> None:
        self.nodes, self.degree, self.aim = nodes, degree, aim
        self.free = degree // 2
        self.choices = np.arange(1, (nodes - 1) // 2 + 1)
        self.sources = 1 if aim.is_uniform else nodes
        self.most = max(WALKED // (nodes * degree * self.sources), 1)
        self.sets = comb(len(self.choices), self.free)
        channels = nodes * degree if self.sources > 1 else degree + 1
        self._loads = np.zeros(channels if aim.is_load else 0)
        self._tables = np.zeros((2, nodes, degree), np.int32)
        self._rooms = np.zeros((2, nodes), np.int32), np.zeros((2, nodes))

    @property
    def walked(self) -> int:
        """Links that are walked, about."""
        return min(self.sets, self.most) * self.nodes * self.degree * self.sources

    def best(self, sets: np.ndarray) -> tuple[float, tuple[int, ...]]:
        """Lowest cost of circulants, and the steps of the first that has it.

        Parameters
        ----------
        sets : ndarray
            Their steps but half the routers, int64 (sets, steps).
        """
        costs = np.empty(len(sets))
        _rank(sets, self.sources, self.aim.rates, costs, self._loads,
              *self._tables, *self._rooms[0], *self._rooms[1])  # fmt: skip
        place = int(costs.argmin())
        return float(costs[place]), tuple(sets[place].tolist())


def best_steps(nodes: int, degree: int, aim: Aim, random: np.random.Generator) -> tuple[int, ...]:
    """Steps of the best circulant that is found, rising; half the routers last where they are one.

    The parameters are those of `Ranking`.
    """
    ranking = Ranking(nodes, degree, aim)
    half = (nodes // 2,) if degree % 2 else ()
    if ranking.free == 0:
        return half
    if ranking.sets <= ranking.most:
        _, steps = min(map(ranking.best, _all_sets(ranking)), key=lambda found: found[0])
        return steps + half
    best, lowest, left = (), inf, ranking.most
    while left > 0:
        cost, steps, tried = _climbed(ranking, random)
        left -= tried
        if cost < lowest:
            best, lowest = steps, cost
    return tuple(sorted(best)) + half


def _all_sets(ranking: Ranking) -> Iterator[np.ndarray]:
    """All sets of steps, some at a time."""
    sets = combinations(ranking.choices.tolist(), ranking.free)
    while some := list(islice(sets, _AT_ONCE)):
        yield np.array(some, np.int64)


def _climbed(ranking: Ranking, random: np.random.Generator) -> tuple[float, tuple[int, ...], int]:
    """Cost and steps of a circulant that no other step makes better, and how many were compared."""
    steps = tuple(random.choice(ranking.choices, ranking.free, replace=False).tolist())
    cost, place, kept, tried = inf, 0, 0, 0
    while kept < ranking.free:
        others = np.setdiff1d(ranking.choices, steps[:place] + steps[place + 1 :])
        sets = np.repeat(np.array([steps]), len(others), axis=0)
        sets[:, place] = others
        found, chosen = ranking.best(sets)
        tried += len(sets)
        place, kept = (place + 1) % ranking.free, kept + 1
        if found < cost:
            cost, steps, kept = found, chosen, 1
    return cost, steps, tried


@loop
def _rank(sets, sources, rates, costs, loads, near, channels, order, far, ways, share):
    """Fill the costs of circulants; infinite where one is not connected.

    From one router the paths are those from any other, and a channel's number is that of its step;
    from all, every link has a number of its own.
    """
    nodes, degree = near.shape
    free = sets.shape[1]
    apart = 1 if sources > 1 else 0
    links = nodes if apart else 1  # numbered links of a step
    for number in range(len(sets)):
        for router in range(nodes):
            for place in range(free):
                step = sets[number, place]
                back = (router - step + nodes) % nodes
                near[router, 2 * place] = (router + step) % nodes
                near[router, 2 * place + 1] = back
                channels[router, 2 * place] = 2 * (links * place + apart * router)
                channels[router, 2 * place + 1] = 2 * (links * place + apart * back) + 1
            if degree > 2 * free:
                other = (router + nodes // 2) % nodes
                link = links * free + apart * min(router, other)
                near[router, 2 * free] = other
                channels[router, 2 * free] = 2 * link + apart * (router > other)
        total = spread(near, channels, sources, rates, loads, order, far, ways, share)
        costs[number] = np.inf if total < 0 else total
        if total >= 0 and len(loads):
            fullest = 0.0
            for channel in range(len(loads)):
                fullest = max(fullest, loads[channel])
            costs[number] = fullest + LITTLE * total / (nodes * degree)
