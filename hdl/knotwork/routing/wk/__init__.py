"""Routings and broadcasts of the WK-recursive networks."""

from .unicast import ROUTINGS

__all__ = ["ROUTINGS"]
