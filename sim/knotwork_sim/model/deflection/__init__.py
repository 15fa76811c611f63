"""Golden model of deflection routers, bufferless: mesh-like ones and those of one-way rings.

`model` runs a network, `network` is the compiled loop, `router` what one router does in a cycle.
"""

from .model import DeflectionModel

__all__ = ["DeflectionModel"]
