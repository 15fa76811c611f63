"""Routings of the hypercube."""

from typing import ClassVar

import numpy as np

from .batch import FIRST, SECOND, BatchRouting, Step, exchange
from .dimension_order import HighestDimensionFirst
from .scheduling.linear_complement import JumpTable


class ECube(HighestDimensionFirst):
    """E-cube: dimensions in falling order.

    References
    ----------
    H. Sullivan and T. R. Bashkow, "A large scale, homogeneous, fully distributed parallel machine",
    ISCA 1977. The order (high to low) is the one that multicast over it relies on.
    """

    name: ClassVar[str] = "ecube"


class LC1(BatchRouting):
    """LC1: linear-complement permutations in 2 n - 1 steps without a conflict.

    First the dimensions from n - 1 to 1, by jump bits and buddies; then from 0 to n - 1, by the
    destination. Two neighbours exchange their packets only if both request it.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    section 3.2, after Liu Zhiyong and Li X., "On routing linear complement permutations on
    hypercubes", technical report 92-01, University of Alberta (not read).
    """

    name: ClassVar[str] = "lc1"

    @property
    def steps(self) -> int:
        """(n - 1) + n."""
        return 2 * self.topology.address_width - 1

    def dimension(self, number: int) -> int:
        """Dimension of a step."""
        return abs(self.topology.address_width - 1 - number)

    def step(self, number: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Exchange in one dimension."""
        node, k = np.arange(self.topology.nodes), self.dimension(number)
        first = number < self.topology.address_width - 1
        requests = table.requests(k, destinations) if first else (destinations ^ node) >> k & 1 == 1
        taken, flags = exchange(requests, node ^ 1 << k, FIRST if first else SECOND)
        return Step(taken, taken, flags)


ROUTINGS = (ECube, LC1)
