"""Summary of the packets' latencies, as every command answers it."""

from dataclasses import asdict, dataclass

import numpy as np

FIGURES = ("mean", "p50", "p99", "max")
"""Members of `Latency`."""


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Latency of packets in cycles; None in every member where no packet has one.

    Members
    -------
    mean, p50, p99 : float or None
        Mean, median and 99th percentile.
    max : float or None
        Largest.
    """

    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
    max: float | None = None

    @classmethod
    def of(cls, cycles: np.ndarray) -> "Latency":
        """Summary of the latency of each packet, int64."""
        if not len(cycles):
            return cls()
        return cls(
            mean=round(float(cycles.mean()), 4),
            p50=float(np.percentile(cycles, 50)),
            p99=float(np.percentile(cycles, 99)),
            max=int(cycles.max()),
        )

    def as_json(self) -> dict[str, float | None]:
        """Fields ``mean``, ``p50``, ``p99`` and ``max``."""
        return asdict(self)
