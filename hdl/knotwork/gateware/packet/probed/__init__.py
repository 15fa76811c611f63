"""Packet routers that show a monitor what their channels do."""

from .router import ProbedRouter

__all__ = ["ProbedRouter"]
