"""Routing of the Petersen graph."""

from typing import ClassVar

from .product import FactorByFactor


class Shortest(FactorByFactor):
    """The only shortest path; its last hop is in class 1, one before it in class 0."""

    name: ClassVar[str] = "shortest"


ROUTINGS = (Shortest,)
