"""Routers of the hypercube."""

from ..parts.route import HighestDifference

ROUTE_COMPUTATIONS = {"ecube": HighestDifference}

ESCAPE_COMPUTATIONS: dict = {}
