"""Routings of fat-trees: those of all least-common-ancestor networks."""

from .lcan import ROUTINGS

__all__ = ["ROUTINGS"]
