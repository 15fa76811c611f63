"""WK-recursive networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import perm
from typing import Any, ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Integer, parameter
from . import metrics
from .base import PublishedFact
from .digits import DigitAddresses

SIZE_LIMIT = 1 << 20
"""Most nodes of a network."""
BISECTIONS = {3: 6, 5: 3}
"""Most levels to which the formula of the bisection was checked, by each odd w."""


@dataclass(frozen=True, kw_only=True)
class WkRecursive(DigitAddresses):
    """Complete WK-recursive network WK(w, levels): clusters of clusters, each joined to each.

    A node is a string of `levels` digits 0..w-1, ``d_1`` the lowest. Nodes that differ in ``d_1``
    alone are joined to each other. Where the lowest C digits of a node are equal and the digit
    above them, its flip, differs, the node is joined to the node with the two values exchanged. The
    w nodes whose digits are all equal have one port without a link.

    Port 1 + h leads to the node with ``d_1 = h``; port 1 + ``d_1`` leads out of the cluster.

    Parameters
    ----------
    w : int
        Nodes per cluster, 2..16.
    levels : int
        Digits, 1..16; at most 2^20 nodes.

    References
    ----------
    Jywe-Fei Fang, Wen-Yew Liang, Hong-Ren Chen and Ka-Lok Ng, "Novel broadcasting
    algorithm of the complete recursive network", Informatica 31, 2007, section 2.
    """

    name: ClassVar[str] = "wk"
    mark: ClassVar[str] = "inter-cluster"

    w: int = parameter(Integer(2, 16), help="nodes per cluster")
    levels: int = parameter(Integer(1, 16), help="digits of a node; w^levels nodes")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nodes > SIZE_LIMIT:
            raise ConfigurationError(
                f"{self.name}: w^levels must be at most {SIZE_LIMIT} nodes, not {self.w}^"
                f"{self.levels} = {self.nodes}"
            )

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Sizes of section 2, and the steps of theorems 1 and 2."""
        del groups
        steps, power = 2**self.levels - 1, "2^L - 1"
        corners = "a corner's port out of its cluster leads nowhere"
        early = "a node that has every digit in its label is done earlier"
        return (
            PublishedFact("nodes", "W^L", self.nodes, "Fang et al., 2", ""),
            PublishedFact("largest degree", "W", self.w, "Fang et al., 1", corners),
            PublishedFact("least degree", "W", self.w, "Fang et al., 1", corners),
            PublishedFact("diameter", power, steps, "Fang et al., 4", ""),
            PublishedFact("most broadcast steps", power, steps, "Fang et al., theorem 1", ""),
            PublishedFact("least broadcast steps", power, steps, "Fang et al., theorem 2", early),
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

    @cached_property
    def distance_counts(self) -> np.ndarray | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ordered pairs by their distance, up to `SEARCH_LIMIT` routers."""
        return _path_counts(self.nodes) if self.w == 2 else _searched_counts(self)

    @property
    def bisection(self) -> int | None:
        """Least links between two halves; None where no formula is known. See `_bisection`."""
        return _bisection(self.w, self.levels)

    def known_bisection(self) -> tuple[int, int] | None:
        """See `bisection`."""
        return None if self.bisection is None else (self.bisection, self.bisection)

    @property
    def average_route(self) -> Fraction:
        """Mean length of the self-routed paths of ordered pairs of distinct nodes."""
        return _average_route(self.w, self.levels)

    def extra_facts(self) -> dict[str, Any]:
        """Mean self-routed path, ports without a link."""
        return {
            "average_route": float(self.average_route),
            "free_links": self.w,
        }

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Links in clusters, and those between them by the level of their ends."""
        return ("to a node", "inner", *(f"level {level}" for level in range(1, self.levels)))

    def link_kind(self, router: int, port: int) -> int:
        """1 in a cluster, else one more than the corner level."""
        is_own = port == 1 + int(self.digits[router, 0])
        return 1 + is_own * int(self.corner_levels[router])

    def layout(self) -> np.ndarray:
        """Polygons of polygons: corner c of each points to subnetwork c. With w = 2, rows."""
        if self.w == 2:
            return _path_in_rows(self.nodes, self.levels)
        return _polygons(self.w, self.digits)


def _bisection(w: int, levels: int) -> int | None:
    """Least links between two halves, which differ by one node where w is odd.

    For even w, w^2 / 4: so many links join half of the largest subnetworks to the others, and there
    cannot be fewer. For w > 3 no channel is on the self-routed paths of more than (N / w)^2 ordered
    pairs, and N^2 / 4 pairs cross from one half to the other. For odd w a formula, as far as it was
    checked.
    """
    if w % 2 == 0:
        return w * w // 4
    if levels > max(1, BISECTIONS.get(w, 1)):
        return None
    return (w * w - 1) // 4 + (levels - 1) * ((w - 1) // 2) ** 2


def _average_route(w: int, levels: int) -> Fraction:
    """Mean length of the self-routed paths of ordered pairs of distinct nodes."""
    hops = sum(
        (w - 1) * w ** (j - 1) * ((1 << j) - 1 - Fraction((1 << j) - 2, w))
        for j in range(1, levels + 1)
    )
    return Fraction(hops) / (w**levels - 1)


def _path_counts(nodes: int) -> np.ndarray:
    """Ordered pairs by their distance on a path of so many nodes."""
    counts = 2 * np.arange(nodes, 0, -1, dtype=np.int64)
    counts[0] = nodes
    return counts


def _searched_counts(topology: WkRecursive) -> np.ndarray | None:
    """Ordered pairs by their distance, by searches from a source of each pattern of digits.

    A permutation of the w digits maps shortest paths to shortest paths, so one source stands for
    all sources with the same pattern of digits.
    """
    if topology.routers > metrics.SEARCH_LIMIT:
        return None
    highest = np.maximum.accumulate(topology.digits[:, ::-1], axis=1)
    # Each pattern's first source: its digits, from the highest down, appear in rising order.
    first = (highest[:, 0] == 0) & (np.diff(highest, axis=1) <= 1).all(axis=1)
    counts = np.zeros(topology.known_diameter() + 1, np.int64)
    for different in range(1, topology.w + 1):
        sources = np.nonzero(first & (highest[:, -1] == different - 1))[0]
        if len(sources):
            found = metrics.distance_counts(topology.neighbours, sources)
            counts[: len(found)] += found * perm(topology.w, different)
    return counts


def _path_in_rows(nodes: int, levels: int) -> np.ndarray:
    """Positions of a path's nodes, there and back in rows."""
    across = 1 << (levels + 1) // 2
    row, column = np.divmod(np.arange(nodes), across)
    return np.stack([np.where(row % 2, across - 1 - column, column), row], axis=1) * 1.0


def _polygons(w: int, digits: np.ndarray) -> np.ndarray:
    """Positions of nodes with these digits, in polygons of polygons."""
    turn = -0.5 if w % 2 == 0 else 0.0  # so that it stands on a side
    angle = 2 * np.pi * (np.arange(w) + turn) / w
    corners = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    return (corners[digits] * _radii(w, digits.shape[1])[:, None]).sum(axis=1)


def _radii(w: int, levels: int) -> np.ndarray:
    """Radius of the polygon of each level, from the middles of those that are its corners."""
    apart = _spacing(w)
    radii = [1.0]
    for level in range(1, levels):
        size = sum(radii)
        # Triangles and squares stand side to side; others need room for links between them.
        gap = 1 + _WIDER * (level - 1) if w <= _SIDE_TO_SIDE else size
        radii.append(size + (apart - 1) * gap)
    return np.array(radii)


def _spacing(w: int) -> float:
    """Radius of a polygon's middles, in radii of the polygons that are its corners."""
    apart = 1.35 / np.sin(np.pi / w)
    # From this radius on, links between a polygon's second neighbours do not cross its middle.
    inside = np.cos(2 * np.pi / w)
    return float(max(apart, min(1.15 * (1 + inside) / (1 - inside), _WIDEST)))


_WIDEST = 4.0  # or a drawing of many digits would be empty
_SIDE_TO_SIDE = 4  # corners of polygons that leave no room between them
_WIDER = 0.6  # gap of each level beyond that of the level below, in gaps of the lowest
