"""Routers of the WK-recursive networks."""

from ..parts.route import TableRoute
from .wk_broadcast import BRANCH_COMPUTATIONS

ROUTE_COMPUTATIONS = {"unicast": TableRoute, "shortest": TableRoute}

ESCAPE_COMPUTATIONS: dict = {}

__all__ = ["BRANCH_COMPUTATIONS", "ESCAPE_COMPUTATIONS", "ROUTE_COMPUTATIONS"]
