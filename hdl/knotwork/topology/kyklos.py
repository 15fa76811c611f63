"""KYKLOS: copies of a tree of switches that share their PEs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import PublishedFact
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class Kyklos(LeastCommonAncestor):
    """Copies of a k-ary tree over the same PEs, in a different order in each copy.

    A PE has a link to each copy. In copy 0 its place is its number; in copy 1 its digits are
    reversed; copies 2 and 3 are these with the digits rotated by one, and so on. So two PEs that
    are far apart in one copy can be close in another.

    Parameters
    ----------
    k : int
        Children per switch, 2..16.
    levels : int
        Levels of switches, 1..16; k^levels PEs.
    copies : int
        Copies of the tree, 1..8.

    References
    ----------
    "Least Common Ancestor Networks", section 1, which gives neither the number of copies nor the
    places of the PEs.
    """

    name: ClassVar[str] = "kyklos"
    is_tree = True

    k: int = parameter(Integer(2, 16), help="children per switch")
    levels: int = parameter(Integer(1, 16), help="levels of switches; k^levels PEs")  # pyright: ignore[reportAssignmentType]
    copies: int = parameter(Integer(1, 8), help="copies of the tree", default=2)  # pyright: ignore[reportAssignmentType]

    @property
    def radices(self) -> tuple[int, ...]:
        """Children of a switch, the same on all levels."""
        return (self.k,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """One on each level."""
        return (1,) * self.levels

    def digit_order(self, copy: int) -> tuple[int, ...]:
        """Digit of a PE's number that is each digit of its place in a copy, the lowest first."""
        rotation, is_reversed = divmod(copy, 2)
        order = [(place + rotation) % self.levels for place in range(self.levels)]
        return tuple(reversed(order) if is_reversed else order)

    def router_label(self, router: int) -> str:
        """Copy of a switch, its level and its number there: ``1_2_15``."""
        copy, there = divmod(router, self.switches)
        return f"{copy}_{super().router_label(there)}"

    @cached_property
    def lca_counts(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ordered pairs of PEs by the level of their LCA in the nearest copy, int64."""
        # The level follows from which digits differ; each can differ in k - 1 ways.
        levels = levels_of_sets([self.digit_order(copy) for copy in range(self.copies)])
        ways = (self.k - 1) ** digits_differ(self.levels)
        counts = np.zeros(self.levels, np.int64)
        np.add.at(counts, levels, ways)
        return self.nodes * counts

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """None: what its papers print is of no single tree."""
        del groups
        return ()

    def extra_facts(self) -> dict[str, Any]:
        """Mean level of the LCA, and the crosspoints; sizes are those of one copy.

        There are no cuts: what is one package in one copy is spread over many in another.
        """
        mean = float(self.lca_counts @ np.arange(self.levels)) / self.nodes**2
        facts = {"mean_lca_level": mean, **super().extra_facts()}
        facts["crosspoints"] = {
            kind: count * self.copies for kind, count in facts["crosspoints"].items()
        }
        return {key: fact for key, fact in facts.items() if key not in {"cuts", "paths"}}


def digits_differ(digits: int) -> np.ndarray:
    """For each set of digits, as the bits of a number, how many it has; int64."""
    sets = np.arange(1 << digits)
    return sum((sets >> place & 1 for place in range(digits)), start=np.zeros(len(sets), np.int64))


def levels_of_sets(orders: Sequence[tuple[int, ...]]) -> np.ndarray:
    """For each set of digits in which two PEs differ, the level of their LCA in the nearest copy.

    Parameters
    ----------
    orders : sequence of tuple of int
        For each copy, the digit of a PE's number that each digit of its place is.
    """
    sets = np.arange(1 << len(orders[0]))
    found = np.full(len(sets), len(orders[0]))
    for order in orders:
        highest = np.zeros(len(sets), np.int64)
        for level, digit in enumerate(order):
            highest[sets >> digit & 1 == 1] = level
        found = np.minimum(found, highest)
    return found
