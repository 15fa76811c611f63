"""Routing of the torus."""

from typing import ClassVar

from .o1turn import O1Turn
from .product import FactorByFactor


class DimensionOrder(FactorByFactor):
    """Along the row, then along the column, then through the layers, each the shorter way round."""

    name: ClassVar[str] = "dimension_order"


ROUTINGS = (DimensionOrder, O1Turn)
