"""Histogram of latencies, with bins that are the same for every run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..columns import Table

_EXACT = 64  # below, each cycle has a bin; above, each octave has half as many bins


@dataclass(frozen=True)
class Histogram:
    """Packets by their latency.

    Up to 64 cycles each bin is one cycle wide; above, a bin is at most a 32nd of the latency. The
    edges do not depend on the data, so histograms can be added.

    Members
    -------
    edges : tuple of int
        Cycles; bin i has the latencies from edge i to below edge i + 1. Empty without packets.
    counts : tuple of int
        Packets in each bin; the first and the last are not 0.
    """

    edges: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, cycles: np.ndarray) -> "Histogram":
        """Histogram of the latency of each packet, int64."""
        if not len(cycles):
            return cls()
        edges = bin_edges(int(cycles.max()))
        counts = np.bincount(np.searchsorted(edges, cycles, side="right") - 1)
        first = int(np.nonzero(counts)[0][0])
        return cls(tuple(edges[first : len(counts) + 1].tolist()), tuple(counts[first:].tolist()))

    @classmethod
    def sum(cls, parts: "Sequence[Histogram]") -> "Histogram":
        """Histogram of all packets of several."""
        lowest = [np.repeat(each.edges[:-1], each.counts) for each in parts if each.counts]
        return cls.of(np.concatenate(lowest) if lowest else np.zeros(0, np.int64))

    def as_json(self) -> dict[str, list[int]]:
        """Lists `edges`, one longer, and `counts`."""
        return {"edges": list(self.edges), "counts": list(self.counts)}

    @property
    def table(self) -> Table:
        """Row a bin: its first cycle, the first cycle behind it, and its packets."""
        edges = np.array(self.edges, np.int64)
        counts = np.array(self.counts, np.int64)
        return Table({"from": edges[:-1], "below": edges[1:], "packets": counts})

    def bars(self, *, rows: int = 20, width: int = 40) -> list[tuple[str, int, str]]:
        """Rows to print: range of cycles, packets, and a bar.

        Parameters
        ----------
        rows : int
            Rows at most; neighbouring bins share one where there are more.
        width : int
            Length of the longest bar.
        """
        together = -(-len(self.counts) // rows)
        found = []
        for first in range(0, len(self.counts), together or 1):
            counts = self.counts[first : first + together]
            low, high = self.edges[first], self.edges[first + len(counts)] - 1
            found.append((f"{low}" if low == high else f"{low}-{high}", sum(counts)))
        most = max((count for _, count in found), default=1)
        return [(cycles, count, _bar(count / most * width)) for cycles, count in found]


def bin_edges(highest: int) -> np.ndarray:
    """Edges of the bins up to the one that has `highest`, int64."""
    octaves = range(_EXACT.bit_length() - 1, max(highest, 1).bit_length())
    above = [np.arange(1 << k, 2 << k, (2 << k) // _EXACT) for k in octaves]
    edges = np.concatenate([np.arange(_EXACT), *above])
    end = 2 ** max(highest, _EXACT - 1).bit_length()
    edges = np.append(edges, end)
    return edges[: np.searchsorted(edges, highest, side="right") + 1]


def _bar(length: float) -> str:
    """Bar of blocks, exact to an eighth of a column; never empty where there is something."""
    eighths = max(round(length * 8), 1 if length else 0)
    full, part = divmod(eighths, 8)
    return "█" * full + ("", *"▏▎▍▌▋▊▉")[part]
