"""Routings of graphs that users provide: those that are generated for any network."""

from .generated import GENERAL

ROUTINGS = GENERAL
