"""Torus-connected Petersen graph."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .factors import Factor
from .petersen import PETERSEN_CODES, PetersenGraph, petersen_layout
from .product import RING_CODES, ProductTopology
from .rings import Ring

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
        PETERSEN_CODES, help="code of a node in its Petersen graph", default="index"
    )
    ring_code: str = parameter(RING_CODES, help="code of a row or column", default="johnson")

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Petersen graph, columns, rows."""
        return (
            PetersenGraph(self.petersen_code),
            Ring(2 * self.m, ("L", "R"), self.ring_code, is_coded_label=True),
            Ring(2 * self.k, ("U", "D"), self.ring_code, is_coded_label=True),
        )

    def layout(self) -> np.ndarray:
        """Small Petersen graphs in rows and columns."""
        x, y = np.meshgrid(np.arange(2 * self.m), np.arange(2 * self.k))
        middles = 2.9 * np.stack([x, y], axis=-1).reshape(-1, 1, 2)
        return (middles + petersen_layout()).reshape(-1, 2)
