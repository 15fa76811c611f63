"""Verbs under their former module, until the command is installed anew."""

from .verbs.broadcast import broadcast
from .verbs.multicast import multicast

__all__ = ["broadcast", "multicast"]
