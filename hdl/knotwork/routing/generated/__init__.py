"""Routings generated as tables for any graph, free of deadlock by construction.

Channels get ranks, and packets go from lower ranks to higher ones only. So packets cannot wait
in a ring, which the deadlock check confirms by walking all pairs.
"""

from .routings import Balanced, GeneratedRouting, Shortest, UpDown

GENERAL = (UpDown, Shortest, Balanced)
"""Routings that every direct network can have."""

__all__ = ["GENERAL", "Balanced", "GeneratedRouting", "Shortest", "UpDown"]
