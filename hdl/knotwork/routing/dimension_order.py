"""Highest differing dimension first: e-cube on the hypercube, dfr on the Möbius cubes."""

import numpy as np
from numba.extending import register_jitable

from ..topology import LOCAL
from .base import Routing, Rule, Turn


@register_jitable
def highest_difference(parameters, router, port, channel_class, destination):
    """Port of the highest bit in which the router and the destination differ."""
    difference = router ^ destination
    output = 0
    while difference:
        difference >>= 1
        output += 1
    return output, 0


class HighestDimensionFirst(Routing):
    """Leave by the highest dimension in which the address differs from the destination.

    A dimension-i link changes no bit above i, so the dimensions of a path fall: one virtual channel
    is free of deadlock, and a packet that came in by dimension i leaves by a lower one.
    """

    @property
    def rule(self) -> Rule:
        """See `highest_difference`."""
        return highest_difference

    def class_turns(self, ports: tuple[int, ...]) -> set[Turn]:
        """From a dimension to the lower ones; from and to the node."""
        return {Turn(i, 0, o, 0) for i in ports for o in ports if LOCAL in (i, o) or o < i}

    def rank(self) -> np.ndarray:
        """Lower dimensions have higher ranks."""
        return -np.arange(len(self.topology.ports), dtype=np.int64)[None, :, None]
