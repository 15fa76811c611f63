"""Routing of the ring."""

from typing import ClassVar

from .product import FactorByFactor


class DimensionOrder(FactorByFactor):
    """The shorter way round; the only one, where links lead one way."""

    name: ClassVar[str] = "dimension_order"


ROUTINGS = (DimensionOrder,)
