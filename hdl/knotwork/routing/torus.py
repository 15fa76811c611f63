"""Routing of the torus."""

from typing import ClassVar

from .product import FactorByFactor


class DimensionOrder(FactorByFactor):
    """Along the row first, then along the column, each the shorter way round."""

    name: ClassVar[str] = "dimension_order"


ROUTINGS = (DimensionOrder,)
