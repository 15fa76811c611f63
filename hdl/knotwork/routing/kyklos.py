"""Routing of KYKLOS: over the copy of the tree in which the two PEs are nearest."""

from .lcan import UpDown

ROUTINGS = (UpDown,)
