"""Möbius cubes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import PublishedFact
from .binary import HALF_OF_ALL, BinaryTopology
from .layouts import cube_layout


@dataclass(frozen=True, kw_only=True)
class Moebius(BinaryTopology):
    """Möbius cube of 2^n nodes.

    A dimension-i link changes bit i alone (plain) where bit i + 1 is 0, and bits i to 0 (twisted)
    where it is 1; bit n is the parameter `twist`.

    Parameters
    ----------
    n : int
        Dimensions, 1..20.
    twist : int
        0 or 1: the 0-Möbius or the 1-Möbius cube.

    References
    ----------
    P. Cull and S. M. Larson, "The Möbius cubes", IEEE Trans. Computers 44(5), 1995; D. Kocík,
    "Routing in Möbius Cubes", CTU in Prague, 2016, section 1.4.
    """

    name: ClassVar[str] = "moebius"
    mark: ClassVar[str] = "twisted"

    twist: int = parameter(Integer(0, 1), help="imaginary bit n: 0-MC or 1-MC", default=0)

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link is twisted; dimension 0 has one kind only and counts as plain."""
        dimension = port - 1
        return dimension > 0 and bool((router | self.twist << self.n) >> (dimension + 1) & 1)

    def across(self, routers: np.ndarray, dimension: int) -> np.ndarray:
        """Neighbour over the plain or the twisted link, as bit `dimension` + 1 says."""
        upper = (routers | np.int32(self.twist << self.n)) >> (dimension + 1) & 1
        mask = np.where(upper == 1, 2 ** (dimension + 1) - 1, 1 << dimension)
        return routers ^ mask.astype(np.int32)

    def layout(self) -> np.ndarray:
        """See `cube_layout`; of eight dimensions in the way of more, which twisted links need."""
        return cube_layout(self.n, most=7)

    def known_diameter(self) -> int:
        """Theorems 3 and 4 of the thesis, and its three small cases."""
        if self.twist == 1:
            return (self.n + 2) // 2
        return {1: 1, 2: 2, 3: 2}.get(self.n, (self.n + 3) // 2)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Theorems 3, 4 and 7 of the thesis, its bounds by D(n), and its conclusion."""
        del groups
        n, bound, name = self.n, "n / 3 + (1 - (-1/2)^n) / 9", "average_distance"
        expected = n / 3 + (1 - (-0.5) ** n) / 9  # D(n), the mean number of terms of an expansion
        rows = [
            PublishedFact("degree", "n", n, "Kocík, 1.4", ""),
            PublishedFact("links", "n 2^(n - 1)", n * 2 ** (n - 1), "Kocík, 1.2 and 1.4", ""),
            PublishedFact(name, bound, expected, "Kocík, 2.4.2", "", "at least"),
            PublishedFact(name, f"{bound} + 1", expected + 1, "Kocík, 2.4.2", "", "at most"),
            PublishedFact("longest path of", "n", n, "Kocík, theorem 7 and 3.3", "", of="dfr"),
            PublishedFact(
                "mean path of", "ceil(n / 2)", -(-n // 2), "Kocík, 3.3", HALF_OF_ALL, of="dfr"
            ),
        ]
        if self.twist or n >= 4:
            more, theorem = (1, 4) if self.twist else (2, 3)
            formula, steps = f"ceil((n + {more}) / 2)", -(-(n + more) // 2)
            rows.insert(
                2, PublishedFact("diameter", formula, steps, f"Kocík, theorem {theorem}", "")
            )
        if n == 10:
            why = "to four digits it is 4; the node itself is not counted"
            rows.append(PublishedFact(name, "4", 4, "Kocík, conclusion", why, "at most"))
        return tuple(rows)
