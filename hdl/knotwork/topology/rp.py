"""Ring of Petersen graphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import TABLE, PublishedFact
from .factors import Factor, Ring
from .layouts import closed_walk, stars_layout
from .petersen import PETERSEN_CODES, PetersenGraph
from .product import ProductTopology


@dataclass(frozen=True, kw_only=True)
class Rp(ProductTopology):
    """RP(k): a ring of k Petersen graphs, whose equal positions are joined.

    With k = 2 the ring has double links; with k = 1, none.

    Parameters
    ----------
    k : int
        Petersen graphs, 1..4096.
    petersen_code : str
        Part of the address within a Petersen graph: ``"index"``, or the six-symbol ``"word"``.

    References
    ----------
    "A practical interconnection network RP(k) and its routing algorithms", as Liu and Han compare
    with it (see `Tcpg`).
    """

    name: ClassVar[str] = "rp"

    k: int = parameter(Integer(1, 4096), help="Petersen graphs on the ring")
    petersen_code: str = parameter(
        PETERSEN_CODES, help="address code of a node in its Petersen graph", default="index"
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Petersen graph, ring."""
        graph = PetersenGraph(self.petersen_code)
        return (graph, Ring(self.k, ("L", "R"))) if self.k > 1 else (graph,)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Table 1 of Liu and Han, whose RP has 4 k m Petersen graphs, and their equation (3)."""
        if self.k % 4:
            return ()
        km = self.k // 4
        return (
            PublishedFact("degree", "5", 5, TABLE, ""),
            PublishedFact("links", "100 k m", 100 * km, TABLE, ""),
            PublishedFact("diameter", "2 k m + 2", 2 * km + 2, TABLE, ""),
            PublishedFact(
                "bisection",
                "20 k m",
                20 * km,
                TABLE,
                "two cuts of the ring take 10 links each, whatever its length",
            ),
            *(
                PublishedFact(
                    "group of",
                    "1" if size == 2 else "2 + (n - 1) div 10",
                    1 if size == 2 else 2 + (size - 1) // 10,
                    "Liu and Han, equation (3)",
                    "the formula does not know that the ring ends",
                    of=size,
                )
                for size in groups
            ),
        )

    def label(self, node: int) -> str:
        """Place on the ring and word, also on a ring of one."""
        return super().label(node) if self.k > 1 else f"0.{super().label(node)}"

    def layout(self) -> np.ndarray:
        """Petersen graphs as stars, in a ring that goes to and fro."""
        return stars_layout(closed_walk(self.k))
