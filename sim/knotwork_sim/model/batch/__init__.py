"""Golden model of batch routers: one packet of every node at a time, step by step.

`model` runs a network, `network` is its routers, `controller` the jump table and the steps.
"""

from .model import BatchModel

__all__ = ["BatchModel"]
