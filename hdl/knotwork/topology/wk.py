"""WK-recursive networks."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Integer, parameter
from .digits import DigitAddresses

SIZE_LIMIT = 1 << 20
"""Most nodes of a network."""


@dataclass(frozen=True, kw_only=True)
class WkRecursive(DigitAddresses):
    """Complete WK-recursive network WK(w, levels): clusters of clusters, each joined to each.

    A node is a string of `levels` digits 0..w-1, ``d_1`` the lowest. Nodes that differ in ``d_1``
    alone are joined to each other. A node whose lowest C digits are equal and whose digit above
    them, its flip, is another, is joined to the node with the two exchanged. The w nodes of equal
    digits have a port without a link.

    Port 1 + h leads to the node with ``d_1 = h``; port 1 + ``d_1``, the node's own, out of the
    cluster.

    Parameters
    ----------
    w : int
        Nodes a cluster, 2..16.
    levels : int
        Digits, 1..16; at most 2^20 nodes.

    References
    ----------
    J.-F. Fang, G.-R. Liang, C.-M. Chen and K.-L. Ng, "Novel broadcasting algorithm of the complete
    recursive network", Informatica 31, 2007, section 1.
    """

    name: ClassVar[str] = "wk"
    mark: ClassVar[str] = "inter-cluster"

    w: int = parameter(Integer(2, 16), help="nodes a cluster")
    levels: int = parameter(Integer(1, 16), help="digits of a node; w^levels nodes")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nodes > SIZE_LIMIT:
            raise ConfigurationError(
                f"{self.name}: w^levels must be at most {SIZE_LIMIT} nodes, not {self.w}^"
                f"{self.levels} = {self.nodes}"
            )

    @property
    def nodes(self) -> int:
        """w^levels."""
        return self.w**self.levels

    @property
    def radices(self) -> tuple[int, ...]:
        """All w."""
        return (self.w,) * self.levels

    @property
    def ports(self) -> tuple[str, ...]:
        """``local``, ``digit0``, ``digit1``, ..."""
        return ("local", *(f"digit{h}" for h in range(self.w)))

    @property
    def digit_bits(self) -> int:
        """Bits of a digit in an address."""
        return (self.w - 1).bit_length()

    @cached_property
    def digits(self) -> np.ndarray:
        """Digits of each node, the lowest first, int32 of shape (nodes, levels)."""
        node = np.arange(self.nodes, dtype=np.int32)[:, None]
        return node // self.w ** np.arange(self.levels, dtype=np.int32) % self.w

    @cached_property
    def corner_levels(self) -> np.ndarray:
        """Equal digits from the lowest on of each node (C), int32, 1..levels."""
        equal = self.digits == self.digits[:, :1]
        return np.logical_and.accumulate(equal, axis=1).sum(axis=1).astype(np.int32)

    @cached_property
    def flips(self) -> np.ndarray:
        """Digit above the equal ones of each node, int32; -1 where there is none."""
        inside = self.corner_levels < self.levels
        place = np.minimum(self.corner_levels, self.levels - 1)
        return np.where(inside, self.digits[np.arange(self.nodes), place], -1).astype(np.int32)

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Router behind each port."""
        node = np.arange(self.nodes, dtype=np.int32)
        own, run = self.digits[:, 0], self.corner_levels
        table = np.full((self.nodes, 1 + self.w), -1, np.int32)
        table[:, 1:] = (node - own)[:, None] + np.arange(self.w)
        weight = np.array([self.w**i for i in range(self.levels + 1)], np.int64)
        ones = (weight - 1) // (self.w - 1)  # of so many digits 1
        across = node + (self.flips - own) * (ones[run] - weight[run])
        table[node, 1 + own] = np.where(self.flips >= 0, across, -1)
        return table

    @cached_property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """In a cluster the port of the near node's digit; an own port meets an own port."""
        far = np.maximum(self.neighbours, 0)
        own = self.digits[:, 0]
        is_own = np.arange(1 + self.w) == 1 + own[:, None]
        peers = 1 + np.where(is_own, own[far], own[:, None])
        return np.where(self.neighbours >= 0, peers, -1).astype(np.int32)

    def known_diameter(self) -> int:
        """2^levels - 1."""
        return (1 << self.levels) - 1

    def is_link_marked(self, router: int, port: int) -> bool:
        """Links between clusters."""
        return port == 1 + int(self.digits[router, 0])
