"""Local search on a graph by simulated annealing, in legs between which a user may interrupt it."""

from typing import NamedTuple

import numpy as np

from .graphs import orbits
from .swaps import descend, weigh

LEG = 2000
"""Swaps between two looks at the outside."""
MIXED = 5
"""Swaps per link after which nothing of a graph that was mixed is left."""
WARM, COLD = 0.2, 0.01
"""Temperatures of the first and of the last swap, as multiples of what a swap costs at first."""
TASTED = 200
"""Swaps that tell what one costs."""
EVERYWHERE = np.zeros((0, 0))
"""Rates of routers that send the same to all others."""


class Aim(NamedTuple):
    """What a search lowers.

    Members
    -------
    is_load : bool
        The load of the fullest channel; else the mean distance.
    rates : ndarray
        Flits per cycle between each two routers, float64; `EVERYWHERE` where all are alike.
    """

    is_load: bool
    rates: np.ndarray = EVERYWHERE

    @property
    def is_uniform(self) -> bool:
        """Whether all routers send the same to all others."""
        return len(self.rates) == 0


class Walker:
    """Graph that swaps change, and the best one so far.

    Parameters
    ----------
    neighbours : ndarray
        int32 (routers, ports), connected, without double links.
    base : int
        Routers by which the graph may be rotated; all of them where the rates are not alike.
    sources : int or None
        Routers from which paths are walked, if fewer than `base`.
    """

    def __init__(
        self, neighbours: np.ndarray, base: int, aim: Aim, sources: int | None = None
    ) -> None:
        nodes = len(neighbours)
        self.neighbours, self.best = neighbours.copy(), neighbours.copy()
        self.base, self.aim, self.sources = base, aim, sources or base
        self.links, self.channels, numbers = orbits(neighbours, base)
        words = -(-self.sources // 64) if aim.is_uniform and not aim.is_load else 0
        self._state = np.zeros(3)
        rooms = np.zeros((2, nodes), np.int32)
        bits = np.zeros((2 if words else 0, nodes, words), np.uint64)
        self._rooms = bits, rooms, np.zeros(2 * nodes + (numbers if aim.is_load else 0))
        weigh(
            self.neighbours, self.channels, self.sources, self.aim.rates, self._state, *self._rooms
        )

    @property
    def cost(self) -> float:
        """Cost of the graph as it is."""
        return float(self._state[0])

    def swap(self, random: np.random.Generator, slack: np.ndarray) -> None:
        """Try as many swaps as `slack` says how much they may raise the cost."""
        ranges = (len(self.links), len(self.links), len(self.neighbours) // self.base, 2, 2)
        for first in range(0, len(slack), LEG):
            some = slack[first : first + LEG]
            draws = random.integers(ranges, size=(len(some), 5)).astype(np.int32)
            descend(
                *(self.neighbours, self.channels, self.links, self.base, self.sources),
                *(self.aim.rates, draws, some, self._state, self.best, *self._rooms),
            )


def mixed(neighbours: np.ndarray, base: int, random: np.random.Generator) -> np.ndarray:
    """Random graph: another one's links swapped many times, so that it stays connected."""
    walker = Walker(neighbours, base, Aim(is_load=False), sources=1)
    if len(walker.links) > 1:
        walker.swap(random, np.full(MIXED * len(walker.links), np.inf))
    return walker.neighbours


def improved(
    neighbours: np.ndarray, base: int, aim: Aim, swaps: int, random: np.random.Generator
) -> np.ndarray:
    """Best graph that swaps of links lead to.

    Parameters
    ----------
    neighbours, base
        As for `Walker`.
    swaps : int
        Swaps to try.
    """
    walker = Walker(neighbours, base, aim)
    if len(walker.links) < 2:
        return walker.best
    taster, steps = Walker(neighbours, base, aim), []
    for _ in range(min(TASTED, swaps)):
        before = taster.cost
        taster.swap(random, np.array([np.inf]))
        steps.append(abs(taster.cost - before))
    felt = [step for step in steps if step > 0]
    usual = sum(felt) / len(felt) if felt else 0.0
    heat = usual * np.geomspace(WARM, COLD, swaps)
    walker.swap(random, -heat * np.log1p(-random.random(swaps)))
    return walker.best
