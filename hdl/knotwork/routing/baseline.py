"""Routings of baseline networks: those of all least-common-ancestor networks."""

from .lcan import ROUTINGS

__all__ = ["ROUTINGS"]
