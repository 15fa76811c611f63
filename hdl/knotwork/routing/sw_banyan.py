"""Routings of SW-banyan networks: those of all least-common-ancestor networks."""

from .lcan import ROUTINGS

__all__ = ["ROUTINGS"]
