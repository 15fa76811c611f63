"""Möbius cubes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .binary import BinaryTopology
from .layouts.cubes import cube_layout


@dataclass(frozen=True, kw_only=True)
class Moebius(BinaryTopology):
    """Möbius cube of 2^n nodes.

    A dimension-i link changes bit i alone (plain) where bit i + 1 is 0, and bits i to 0 (twisted)
    where it is 1; bit n is the parameter `twist`.

    Parameters
    ----------
    n : int
        Dimensions, 1..20.
    twist : int
        0 or 1: the 0-Möbius or the 1-Möbius cube.

    References
    ----------
    P. Cull and S. M. Larson, "The Möbius cubes", IEEE Trans. Computers 44(5), 1995; D. Kocík,
    "Routing in Möbius Cubes", CTU in Prague, 2016, section 1.4.
    """

    name: ClassVar[str] = "moebius"
    mark: ClassVar[str] = "twisted"

    twist: int = parameter(Integer(0, 1), help="imaginary bit n: 0-MC or 1-MC", default=0)

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link is twisted; dimension 0 has one kind only and counts as plain."""
        dimension = port - 1
        return dimension > 0 and bool((router | self.twist << self.n) >> (dimension + 1) & 1)

    def across(self, routers: np.ndarray, dimension: int) -> np.ndarray:
        """Neighbour over the plain or the twisted link, as bit `dimension` + 1 says."""
        upper = (routers | np.int32(self.twist << self.n)) >> (dimension + 1) & 1
        mask = np.where(upper == 1, 2 ** (dimension + 1) - 1, 1 << dimension)
        return routers ^ mask.astype(np.int32)

    def layout(self) -> np.ndarray:
        """See `cube_layout`; of eight dimensions in the way of more, which twisted links need."""
        return cube_layout(self.n, most=7)

    def known_diameter(self) -> int:
        """Theorems 3 and 4 of the thesis, and its three small cases."""
        if self.twist == 1:
            return (self.n + 2) // 2
        return {1: 1, 2: 2, 3: 2}.get(self.n, (self.n + 3) // 2)
