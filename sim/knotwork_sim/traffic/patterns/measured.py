"""Law of a matrix of rates, which users have measured or made."""

import numpy as np

from ..given import RateMatrix
from .law import Law, Shares


class Measured(Law):
    """Each node by its share in the source's row."""

    def __init__(self, matrix: RateMatrix) -> None:
        self.table = matrix.shares

    @property
    def pairs(self) -> int:
        """Those with a rate."""
        return int(np.count_nonzero(self.table))

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes by inversion of each row's cumulative shares."""
        numbers = rng.random(len(source))
        destination = np.zeros(len(source), np.int64)
        order = np.argsort(source, kind="stable")
        ends = np.searchsorted(source[order], np.arange(len(self.table) + 1))
        for node in np.unique(source).tolist():
            own = order[ends[node] : ends[node + 1]]
            sums = np.cumsum(self.table[node])
            if sums[-1] > 0:  # a silent node has no packet that goes here
                found = np.searchsorted(sums / sums[-1], numbers[own], side="right")
                destination[own] = found
        return destination

    def shares(self, node: int) -> Shares:
        """Shares of its row."""
        row = self.table[node]
        others = np.flatnonzero(row)
        return Shares(others.astype(np.int64), row[others])
