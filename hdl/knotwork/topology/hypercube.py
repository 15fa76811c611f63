"""Binary hypercube."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from .base import PublishedFact
from .binary import HALF_OF_ALL, BinaryTopology


@dataclass(frozen=True, kw_only=True)
class Hypercube(BinaryTopology):
    """Hypercube of 2^n nodes: a dimension-i link changes bit i.

    Parameters
    ----------
    n : int
        Dimensions, 1..20.

    References
    ----------
    C. L. Seitz, "The Cosmic Cube", Comm. ACM 28(1), 1985.
    """

    name: ClassVar[str] = "hypercube"

    def across(self, routers: np.ndarray, dimension: int) -> np.ndarray:
        """Bit `dimension` complemented."""
        return routers ^ np.int32(1 << dimension)

    def known_diameter(self) -> int:
        """N dimensions, n hops."""
        return self.n

    def known_average_distance(self) -> Fraction:
        """Half the bits differ, the node itself left out."""
        return Fraction(self.n * 2 ** (self.n - 1), 2**self.n - 1)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Section 1.2 of the thesis on Möbius cubes, and LC1 of the paper on cycles."""
        del groups
        n, where = self.n, "Kocík, 1.2"
        return (
            PublishedFact("degree", "n", n, where, ""),
            PublishedFact("links", "n 2^(n - 1)", n * 2 ** (n - 1), where, ""),
            PublishedFact("diameter", "n", n, where, ""),
            PublishedFact("average_distance", "ceil(n / 2)", -(-n // 2), where, HALF_OF_ALL),
            PublishedFact(
                "steps of",
                "(n - 1) + n",
                2 * n - 1,
                "Liu, Liu, Zhang, 3.2",
                "",
                "at most",
                of="lc1",
            ),
        )

    @property
    def representatives(self) -> np.ndarray:
        """Router 0: XOR of a constant is an automorphism."""
        return np.zeros(1, np.int64)
