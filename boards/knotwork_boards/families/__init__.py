"""FPGA families: which tools make their bitstreams, and what their cells are."""

from .ecp5 import ECP5
from .family import Family
from .gowin import GOWIN
from .ice40 import ICE40

FAMILIES = {family.name: family for family in (ECP5, ICE40, GOWIN)}
"""Families by name."""

__all__ = ["ECP5", "FAMILIES", "GOWIN", "ICE40", "Family"]
