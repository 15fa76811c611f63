"""A circulant, as a user writes one: a topology, its default routing and one in plain Python."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from knotwork import Integer, Routing, Topology, parameter

NEXT, FAR, PREVIOUS, BACK = range(1, 5)


class Forward(Routing):
    """Long steps, then short ones, always forward; each kind in its next class past router 0."""

    name: ClassVar[str] = "forward"

    def needed_virtual_channels(self):
        return 2

    @property
    def parameters(self):
        return np.array([self.topology.n, self.topology.step])

    @staticmethod
    def rule(parameters, router, port, channel_class, destination):
        nodes, step = parameters[0], parameters[1]
        left = (destination - router) % nodes
        if left == 0:
            return 0, 0
        output, length = (FAR, step) if left >= step else (NEXT, 1)
        came = {NEXT: PREVIOUS, FAR: BACK}[output]  # no Numba: a dictionary of constants
        passed = channel_class if port == came else 0
        return output, 1 if router + length >= nodes else passed


@dataclass(frozen=True, kw_only=True)
class Circulant(Topology):
    """Circulant graph: routers that are 1 or `step` apart are linked."""

    name: ClassVar[str] = "circulant"
    routings: ClassVar[tuple[type, ...]] = (Forward,)

    n: int = parameter(Integer(5, 1024), help="nodes", default=11)
    step: int = parameter(Integer(2, 512), help="long step, below half of n", default=3)

    @property
    def nodes(self):
        return self.n

    @property
    def ports(self):
        return "local", "next", "far", "previous", "back"

    @cached_property
    def neighbours(self):
        ahead = np.arange(self.n)[:, None] + [0, 1, self.step, -1, -self.step]
        table = (ahead % self.n).astype(np.int32)
        table[:, 0] = -1
        return table
