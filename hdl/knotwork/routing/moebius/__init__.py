"""Routings of the Möbius cubes."""

from .rules import DeadlockFree, ShortestPath
from .source_routed import ApproxSpr, HighestFirst, SetSpr

ROUTINGS = (DeadlockFree, ShortestPath, ApproxSpr, SetSpr, HighestFirst)

__all__ = ["ROUTINGS"]
