"""Routings of the Möbius cubes."""

from typing import ClassVar

from .dimension_order import HighestDimensionFirst


class DeadlockFree(HighestDimensionFirst):
    """dfr: e-cube's order over the Möbius cube's links; not always shortest, one channel.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, chapter 3.
    """

    name: ClassVar[str] = "dfr"


ROUTINGS = (DeadlockFree,)
