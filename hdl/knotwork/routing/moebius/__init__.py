"""Routings of the Möbius cubes."""

from .rules import ROUTINGS

__all__ = ["ROUTINGS"]
