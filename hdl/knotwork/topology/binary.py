"""What networks with n-bit addresses share: one port per dimension."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..parameters import Integer, parameter
from .base import Topology
from .layouts import cube_layout

HALF_OF_ALL = (
    "n / 2 is the mean with pairs of a node and itself; without them it is n 2^(n - 1) / (2^n - 1)"
)
"""Why a mean of ceil(n / 2) hops is not that of pairs of distinct nodes."""


@dataclass(frozen=True, kw_only=True)
class BinaryTopology(Topology):
    """Network of 2^n routers in which port ``dim<i>`` leads to port ``dim<i>``.

    Parameters
    ----------
    n : int
        Dimensions, bits of an address; 1..20.
    """

    n: int = parameter(Integer(1, 20), help="dimensions; 2^n nodes")

    @property
    def nodes(self) -> int:
        """2^n."""
        return 1 << self.n

    @property
    def address_width(self) -> int:
        """One bit per dimension."""
        return self.n

    @property
    def ports(self) -> tuple[str, ...]:
        """``local``, ``dim0``, ``dim1``, ..."""
        return ("local", *(f"dim{i}" for i in range(self.n)))

    @abstractmethod
    def across(self, routers: np.ndarray, dimension: int) -> np.ndarray:
        """Neighbours of `routers` (int32) in a dimension."""

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Router behind each port; port i + 1 is dimension i."""
        routers = np.arange(self.nodes, dtype=np.int32)
        none = np.full_like(routers, -1)
        return np.stack([none, *(self.across(routers, i) for i in range(self.n))], axis=1)

    def known_bisection(self) -> tuple[int, int]:
        """2^(n-1): the links of the highest dimension, one at each node.

        No two halves have fewer. Each half of the addresses is such a network of n-1 dimensions,
        and every node has one link to the other half. So if e(m) is the most links that m nodes
        can have among themselves, e(a + b) <= e(a) + e(b) + min(a, b), hence e(2^k) <= k 2^(k-1).
        Of the n 2^(n-1) ends of links at half of the nodes, at most 2 e(2^(n-1)) are inside.
        """
        return self.nodes // 2, self.nodes // 2

    @property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The same port at the other end."""
        row = np.arange(self.n + 1, dtype=np.int32)
        row[0] = -1
        return np.broadcast_to(row, (self.nodes, self.n + 1))

    def layout(self) -> np.ndarray:
        """See `cube_layout`."""
        return cube_layout(self.n)
