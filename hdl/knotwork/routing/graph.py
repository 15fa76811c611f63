"""Routings of graphs that users give: those that are made for any network."""

from .generated import GENERAL

ROUTINGS = GENERAL
