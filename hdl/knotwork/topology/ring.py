"""Ring."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Choice, Integer, parameter
from .factors import Factor, OneWayRing
from .factors import Ring as TwoWayRing
from .layouts import closed_walk
from .product import ProductTopology


@dataclass(frozen=True, kw_only=True)
class Ring(ProductTopology):
    """Ring of n routers; a ring of two has double links.

    ``L`` and ``R`` lead to routers i - 1 and i + 1. With links one way there is ``R`` alone: it
    sends to the next router and receives from the one before.

    Parameters
    ----------
    n : int
        Nodes, 2..4096.
    directions : str
        ``"two"``, or ``"one"`` for links to router i + 1 only.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    chapter 5.
    """

    name: ClassVar[str] = "ring"

    n: int = parameter(Integer(2, 4096), help="nodes")
    directions: str = parameter(
        Choice(("two", "one")), help="directions of the links", default="two"
    )

    @property
    def is_one_way(self) -> bool:
        """Whether links lead one way only."""
        return self.directions == "one"

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The ring itself."""
        if self.is_one_way:
            return (OneWayRing(self.n, ("R",)),)
        return (TwoWayRing(self.n, ("L", "R")),)

    def layout(self) -> np.ndarray:
        """Circle; if there are many, a ring that goes to and fro, or it would be empty."""
        return super().layout() if self.n <= _ON_A_CIRCLE else closed_walk(self.n).astype(float)


_ON_A_CIRCLE = 32  # routers of the largest ring that is drawn as a circle
