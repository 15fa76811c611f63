"""Routing of the mesh."""

from typing import ClassVar

from .o1turn import O1Turn
from .product import FactorByFactor


class DimensionOrder(FactorByFactor):
    """Along the row first, then along the column, then through the layers."""

    name: ClassVar[str] = "dimension_order"


ROUTINGS = (DimensionOrder, O1Turn)
