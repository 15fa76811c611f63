"""Torus-connected Petersen graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import TABLE, PublishedFact
from .factors import Factor, Ring
from .layouts import folded, lanes_past, stars_layout
from .petersen import PETERSEN_CODES, PetersenGraph
from .product import RING_CODES, ProductTopology

LEFT, RIGHT, UP, DOWN = 4, 5, 6, 7
"""Ports ``L``, ``R``, ``U`` and ``D``."""


@dataclass(frozen=True, kw_only=True)
class Tcpg(ProductTopology):
    """TCPG(k, m): a 2k x 2m torus of Petersen graphs, whose equal positions are joined.

    Ports ``S``, ``Pplus`` and ``Pminus`` are those of the Petersen graph, ``L`` and ``R`` lead to
    columns x - 1 and x + 1, ``U`` and ``D`` to rows y - 1 and y + 1. A ring of two has double
    links.

    Parameters
    ----------
    k, m : int
        Half the rows and half the columns, 1..16.
    petersen_code : str
        Part of the address within a Petersen graph: ``"index"``, or the six-symbol ``"word"``.
    ring_code : str
        Code of a row and of a column: ``"johnson"`` or ``"binary"``.

    References
    ----------
    Liu and Han, "Topology and routing algorithms of torus connected Petersen graph interconnect
    network" (in Chinese). Words: S. Elzinga, D. Gregory and K. Vander Meulen, "Addressing the
    Petersen graph", of which these are the least.
    """

    name: ClassVar[str] = "tcpg"
    elsewhere: ClassVar[str | None] = (
        "k and m are halves: the torus has 2k rows and 2m columns of Petersen graphs, so there are "
        "40km nodes"
    )

    k: int = parameter(Integer(1, 16), help="half the rows of the torus")
    m: int = parameter(Integer(1, 16), help="half the columns of the torus")
    petersen_code: str = parameter(
        PETERSEN_CODES, help="address code of a node in its Petersen graph", default="index"
    )
    ring_code: str = parameter(
        RING_CODES, help="address code of a row or column", default="johnson"
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Petersen graph, columns, rows."""
        options = {"code_name": self.ring_code, "is_coded_label": True, "ties_back": True}
        return (
            PetersenGraph(self.petersen_code),
            Ring(2 * self.m, ("L", "R"), **options),
            Ring(2 * self.k, ("U", "D"), **options),
        )

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Table 1, the broadcast of section 3.2, and equation (2) for groups."""
        k, m = self.k, self.m
        return (
            PublishedFact("degree", "7", 7, TABLE, ""),
            PublishedFact("links", "140 k m", 140 * k * m, TABLE, ""),
            PublishedFact(
                "simple_links",
                "140 k m",
                140 * k * m,
                TABLE,
                "the two neighbours on a ring of two are one: two links join it",
            ),
            PublishedFact("diameter", "k + m + 2", k + m + 2, TABLE, ""),
            PublishedFact(
                "bisection",
                "20 k m",
                20 * k * m,
                TABLE,
                "cutting the longer rings takes fewer links than halving every Petersen graph: "
                "40 k m / max(k, m, 2)",
            ),
            PublishedFact(
                "most broadcast steps", "k + m + 2", k + m + 2, "Liu and Han, 3.2", "", "at most"
            ),
            *(
                PublishedFact(
                    "group of",
                    "1" if size == 2 else "2 + 2 (sqrt(n / 10 + 1) - 1)",
                    1 if size == 2 else 2 * sqrt(size / 10 + 1),
                    "Liu and Han, equation (2)",
                    "a distance is a whole number, and no rounding of the formula fits all sizes",
                    of=size,
                )
                for size in groups
            ),
        )

    def layout(self) -> np.ndarray:
        """Petersen graphs as stars in rows and columns, in which the rings are folded."""
        x, y = np.meshgrid(folded(2 * self.m), folded(2 * self.k))
        lanes = lanes_past(2 * self.k), lanes_past(2 * self.m)
        return stars_layout(np.stack([x, y], axis=-1).reshape(-1, 2), lanes)
