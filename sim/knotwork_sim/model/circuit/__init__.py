"""Golden model of circuit switches: network cycles in which packets set up circuits and use them.

`model` runs a network, `network` is its interfaces and its controller.
"""

from .model import CircuitModel

__all__ = ["CircuitModel"]
