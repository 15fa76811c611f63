"""Routings of the Möbius cubes."""

from .compared import ApproxSpr, HighestFirst, SetSpr
from .rules import DeadlockFree, ShortestPath

ROUTINGS = (DeadlockFree, ShortestPath, ApproxSpr, SetSpr, HighestFirst)

__all__ = ["ROUTINGS"]
