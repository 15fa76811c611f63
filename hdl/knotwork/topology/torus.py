"""Two-dimensional torus."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import ClassVar

import numpy as np

from ..parameters import Choice, Integer, parameter
from .base import TABLE, Printed
from .factors import Factor
from .johnson import johnson_bits
from .product import RING_CODES, ProductTopology
from .rings import OneWayRing, Ring

ROWS_AND_COLUMNS = (
    "x counts columns and y rows, so x=4 y=8 is 8 rows of 4; "
    "elsewhere 4 x 8 often means 4 rows of 8"
)
"""What the sizes of tori and meshes mean elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Torus(ProductTopology):
    """Torus: rings of x columns and y rows; a ring of two has double links.

    ``L`` and ``R`` lead to columns x - 1 and x + 1, ``U`` and ``D`` to rows y - 1 and y + 1. With
    links one way there are ``R`` and ``D`` alone: each sends to the next router and receives from
    the one before.

    Parameters
    ----------
    x, y : int
        Columns and rows, 2..1024.
    directions : str
        ``"two"``, or ``"one"`` for links to column x + 1 and row y + 1 only.
    ring_code : str
        Code of a row and of a column: ``"binary"``, or ``"johnson"`` where both sides are even.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    chapter 5.
    """

    name: ClassVar[str] = "torus"
    elsewhere: ClassVar[str | None] = ROWS_AND_COLUMNS

    x: int = parameter(Integer(2, 1024), help="columns")
    y: int = parameter(Integer(2, 1024), help="rows")
    directions: str = parameter(Choice(("two", "one")), help="ways of the links", default="two")
    ring_code: str = parameter(RING_CODES, help="code of a row or column", default="binary")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ring_code == "johnson":
            for key in ("x", "y"):
                johnson_bits(getattr(self, key), owner=self.name, key=key)

    @property
    def is_one_way(self) -> bool:
        """Whether links lead one way only."""
        return self.directions == "one"

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Columns, rows."""
        if self.is_one_way:
            code = self.ring_code
            return OneWayRing(self.x, ("R",), code), OneWayRing(self.y, ("D",), code)
        return Ring(self.x, ("L", "R"), self.ring_code), Ring(self.y, ("U", "D"), self.ring_code)

    def printed(self, groups: Sequence[int] = ()) -> tuple[Printed, ...]:
        """Table 1 of Liu and Han, whose torus has 40 k m nodes, and their equation (1)."""
        if self.is_one_way or self.nodes % 40:
            return ()
        km = self.nodes // 40
        return (
            Printed("degree", "4", 4, TABLE, ""),
            Printed("links", "80 k m", 80 * km, TABLE, ""),
            Printed(
                "diameter",
                "10 k m",
                10 * km,
                TABLE,
                "half of both sides; probably a misprint of 10 k + m, of 20 k columns and 2 m rows",
            ),
            Printed(
                "bisection",
                "2 sqrt(N)",
                2 * sqrt(self.nodes),
                TABLE,
                "twice the shorter side; 2 sqrt(N) only where the sides are equal",
            ),
            *(
                Printed(
                    f"group of {size}",
                    "2 floor(sqrt(n) - 1)",
                    2 * (isqrt(size) - 1),
                    "Liu and Han, equation (1)",
                    "the formula counts full squares of nodes only",
                )
                for size in groups
            ),
        )

    def layout(self) -> np.ndarray:
        """Rows and columns."""
        return grid(self.x, self.y)


def grid(x: int, y: int) -> np.ndarray:
    """Positions of y rows of x nodes, float64."""
    column, row = np.meshgrid(np.arange(x, dtype=float), np.arange(y, dtype=float))
    return np.stack([column, row], axis=-1).reshape(-1, 2)
