"""Copies of levels over the same PEs: places of PEs, and levels of least common ancestors."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Self

import numpy as np

from ..errors import ConfigurationError
from .addressed_graph import Numbers
from .base import Topology


@dataclass(frozen=True, kw_only=True)
class Copies(Topology):
    """Part of `levels.Levels`: where PEs stand in the copies of all levels, and where they meet."""

    copies = 1
    """Copies of all levels over the same PEs; a subclass may have a parameter of that name."""

    @property
    @abstractmethod
    def radices(self) -> tuple[int, ...]:
        """Child subtrees of a switch, by level: the radix of each digit of a PE."""

    @cached_property
    def spans(self) -> tuple[int, ...]:
        """PEs under a switch, by level."""
        return tuple(accumulate(self.radices, mul))

    def digit(self, p: Numbers, level: int) -> Numbers:
        """Child of a level's switch under which PE `p` is."""
        return self.prefix(p, level - 1) % self.radices[level]

    def prefix(self, p: Numbers, level: int) -> Numbers:
        """Common prefix of the numbers of all PEs under a switch of `level`; the PE on level -1."""
        return p // self.spans[level] if level >= 0 else p

    def digit_order(self, copy: int) -> tuple[int, ...]:
        """Digit of a PE's number that is each digit of its place in a copy, the lowest first."""
        del copy
        return tuple(range(len(self.radices)))

    def require_one_copy(self, what: str) -> Self:
        """The same topology; several copies are refused, for what is known of one alone.

        Raises
        ------
        ConfigurationError
            There are several.
        """
        if self.copies > 1:
            rule = "must go with one copy of the levels (copies=1)"
            raise ConfigurationError(f"{what} {rule}, not {self.copies}")
        return self

    def placed(self, copy: int, p: Numbers) -> Numbers:
        """Place of PE `p` in a copy: the number that it has there."""
        return self._reordered(p, self.digit_order(copy))

    def at_place(self, copy: int, place: Numbers) -> Numbers:
        """PE that has a place in a copy."""
        order = self.digit_order(copy)
        return self._reordered(place, tuple(map(order.index, range(len(order)))))

    def _reordered(self, p: Numbers, order: tuple[int, ...]) -> Numbers:
        if order == tuple(sorted(order)):
            return p
        weights = (1, *self.spans)
        return sum(self.digit(p, digit) * weights[n] for n, digit in enumerate(order))

    def lca_level(self, s: Numbers, t: Numbers) -> Numbers:
        """Least level on which PEs `s` and `t` are under one switch; 0 for s = t."""
        return self.lca_levels(s, t).min(axis=0) if self.copies > 1 else self.tree_level(s, t)

    def tree_level(self, s: Numbers, t: Numbers) -> Numbers:
        """Least level on which places `s` and `t` of one copy are under one switch."""
        different = ((s // span != t // span) * 1 for span in self.spans[:-1])
        return sum(different, start=(s + t) * 0)

    def lca_levels(self, s: Numbers, t: Numbers) -> np.ndarray:
        """The same in each copy, along the first axis."""
        copies = range(self.copies)
        return np.array([self.tree_level(self.placed(x, s), self.placed(x, t)) for x in copies])

    def nearest_copy(self, s: Numbers, t: Numbers) -> Numbers:
        """Copy in which PEs `s` and `t` have the lowest LCA; of several, the first."""
        return self.lca_levels(s, t).argmin(axis=0) if self.copies > 1 else (s + t) * 0


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
