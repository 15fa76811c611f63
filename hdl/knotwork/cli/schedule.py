"""Verb under its former module, until the command is installed anew."""

from .verbs.schedule import schedule

__all__ = ["schedule"]
