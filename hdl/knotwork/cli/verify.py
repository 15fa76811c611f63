"""Verb under its former module, until the command is installed anew."""

from .verbs.verify import verify

__all__ = ["verify"]
