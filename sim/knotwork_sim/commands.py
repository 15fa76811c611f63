"""Verbs of the simulator, where installations of before look for them."""

from .verbs.simulate import simulate
from .verbs.sweep import sweep

__all__ = ["simulate", "sweep"]
