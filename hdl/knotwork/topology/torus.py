"""Torus of one to three dimensions, and what it has in common with a mesh."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, Integer, parameter
from .base import TABLE, PublishedFact
from .factors import Factor, OneWayRing, Ring, johnson_bits
from .product import RING_CODES, ProductTopology

ROWS_AND_COLUMNS = (
    "x counts columns and y rows, so x=4 y=8 is 8 rows of 4; "
    "elsewhere 4 x 8 often means 4 rows of 8"
)
"""What the sizes of tori and meshes mean elsewhere."""


MOST_NODES = 1 << 20
"""Most nodes of a grid."""


@dataclass(frozen=True, kw_only=True)
class Grid(ProductTopology):
    """Routers in columns, rows and layers; a side of 1 has no links and no part in the address.

    ``L`` and ``R`` lead to columns x - 1 and x + 1, ``U`` and ``D`` to rows y - 1 and y + 1, ``F``
    and ``B`` (front and back) to layers z - 1 and z + 1.

    Parameters
    ----------
    x, y, z : int
        Columns, rows and layers, 1..1024.
    """

    elsewhere: ClassVar[str | None] = ROWS_AND_COLUMNS

    x: int = parameter(Integer(1, 1024), help="columns")
    y: int = parameter(Integer(1, 1024), help="rows")
    z: int = parameter(Integer(1, 1024), help="layers", default=1, silent=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        nodes = self.x * self.y * self.z
        if not 1 < nodes <= MOST_NODES:
            raise ConfigurationError(
                f"{self.name}: x, y and z must make 2..{MOST_NODES} nodes, not {nodes}"
            )

    @property
    def lengths(self) -> dict[str, int]:
        """Sizes above 1, by key."""
        return {key: size for key in "xyz" if (size := getattr(self, key)) > 1}

    def layout(self) -> np.ndarray:
        """Rows and columns, and layers one behind the other."""
        return grid(self.x, self.y, self.z)


WAYS = {"x": ("L", "R"), "y": ("U", "D"), "z": ("F", "B")}
"""Ports to the router before and to the one after, by dimension."""


@dataclass(frozen=True, kw_only=True)
class Torus(Grid):
    """Torus: rings of x columns, y rows and z layers; a ring of two has double links.

    Ports are as in `Grid`. With links one way there are ``R``, ``D`` and ``B`` alone: each sends to
    the next router and receives from the one before.

    Parameters
    ----------
    x, y, z : int
        Columns, rows and layers, 1..1024.
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

    directions: str = parameter(
        Choice(("two", "one")), help="directions of the links", default="two"
    )
    ring_code: str = parameter(RING_CODES, help="address code of a row or column", default="binary")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ring_code == "johnson":
            for key, size in self.lengths.items():
                johnson_bits(size, owner=self.name, key=key)

    @property
    def is_one_way(self) -> bool:
        """Whether links lead one way only."""
        return self.directions == "one"

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Columns, rows, layers."""
        code, sides = self.ring_code, self.lengths.items()
        if self.is_one_way:
            return tuple(OneWayRing(size, WAYS[key][1:], code) for key, size in sides)
        return tuple(Ring(size, WAYS[key], code) for key, size in sides)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Table 1 of Liu and Han, whose torus has 40 k m nodes, and their equation (1)."""
        if self.is_one_way or len(self.lengths) != 2 or self.nodes % 40:
            return ()
        km = self.nodes // 40
        return (
            PublishedFact("degree", "4", 4, TABLE, ""),
            PublishedFact("links", "80 k m", 80 * km, TABLE, ""),
            PublishedFact(
                "diameter",
                "10 k m",
                10 * km,
                TABLE,
                "half of both sides; probably a misprint of 10 k + m, of 20 k columns and 2 m rows",
            ),
            PublishedFact(
                "bisection",
                "2 sqrt(N)",
                2 * sqrt(self.nodes),
                TABLE,
                "twice the shorter side; 2 sqrt(N) only where the sides are equal",
            ),
            *(
                PublishedFact(
                    "group of",
                    "2 floor(sqrt(n) - 1)",
                    2 * (isqrt(size) - 1),
                    "Liu and Han, equation (1)",
                    "the formula counts full squares of nodes only",
                    of=size,
                )
                for size in groups
            ),
        )


def grid(x: int, y: int, z: int) -> np.ndarray:
    """Positions of z layers of y rows of x nodes, float64: a layer stands behind the one before.

    Each is a step to the right and up, and rows and columns are so far apart that no node covers
    another.
    """
    layer, row, column = np.indices((z, y, x), float).reshape(3, -1)
    return np.stack([z * column + layer, z * row - layer], axis=-1)
