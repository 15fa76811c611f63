"""Routings of networks that are made from other networks, by the rules of those."""

from .served import Served, can_serve, ruled, served

__all__ = ["Served", "can_serve", "ruled", "served"]
