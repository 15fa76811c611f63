"""Routing of the ring of Petersen graphs."""

from typing import ClassVar

from .product import FactorByFactor


class Shortest(FactorByFactor):
    """Within the Petersen graph first, then the shorter way round the ring."""

    name: ClassVar[str] = "shortest"


ROUTINGS = (Shortest,)
