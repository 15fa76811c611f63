"""Routers of the Möbius cubes."""

from ..parts.route import HighestDifference

ROUTE_COMPUTATIONS = {"dfr": HighestDifference}
