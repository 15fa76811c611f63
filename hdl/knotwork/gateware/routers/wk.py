"""Routers of the WK-recursive networks."""

from ..parts.route import TableRoute

ROUTE_COMPUTATIONS = {"unicast": TableRoute, "shortest": TableRoute}

ESCAPE_COMPUTATIONS: dict = {}

BRANCH_COMPUTATIONS: dict = {}
