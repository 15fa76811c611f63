"""Routings of CM-5: those of all least-common-ancestor networks."""

from .lcan import ROUTINGS

__all__ = ["ROUTINGS"]
