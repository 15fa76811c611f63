"""Law of several patterns at once."""

from collections.abc import Sequence

import numpy as np

from .law import Law, Shares


class Mixed(Law):
    """One of several laws for each packet.

    Parameters
    ----------
    laws : sequence of Law
        Laws.
    rates : ndarray
        Rate of each node under each law, float64 of shape (laws, nodes); only the ratios between
        the laws of a node count.
    """

    def __init__(self, laws: Sequence[Law], rates: np.ndarray) -> None:
        self.laws = tuple(laws)
        totals = rates.sum(axis=0)
        self.parts = np.divide(rates, totals, out=np.zeros_like(rates), where=totals > 0)

    @property
    def pairs(self) -> int:
        """Those of all laws."""
        return sum(law.pairs for law in self.laws)

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Draw the law of each packet, then for each law its packets' destinations."""
        ends = np.cumsum(self.parts, axis=0)[:-1]
        number = (rng.random(len(source)) >= ends[:, source]).sum(axis=0)
        destination = np.zeros(len(source), np.int64)
        for place, law in enumerate(self.laws):
            own = np.flatnonzero(number == place)
            destination[own] = law.draw(rng, source[own])
        return destination

    def shares(self, node: int) -> Shares:
        """Those of all laws that the node follows, by their parts."""
        found = [
            (law.shares(node), part)
            for law, part in zip(self.laws, self.parts[:, node].tolist(), strict=True)
            if part > 0
        ]
        if not found:
            return Shares(np.zeros(0, np.int64), np.zeros(0))
        return Shares(
            np.concatenate([shares.destinations for shares, _ in found]),
            np.concatenate([shares.shares * part for shares, part in found]),
        )
