"""Routings of graphs that users give: those that are made for any network."""

from .made import GENERAL

ROUTINGS = GENERAL
