"""Routings of networks that are made from other networks, by the rules of those."""

from .classed import ClassedRouting, classed
from .served import OverBase, Served, can_serve, ruled, served

__all__ = ["ClassedRouting", "OverBase", "Served", "can_serve", "classed", "ruled", "served"]
