"""Levels of switches above PEs: sizes, wiring, and crosspoints and cuts between packages.

References
----------
"Least Common Ancestor Networks". Its figure of a switch has crosspoints that nothing uses; they are
left out here.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from operator import mul
from typing import Any, Self

import numpy as np

from ..errors import ConfigurationError
from .base import Numbers, Topology

SIZE_LIMIT = 1 << 20
"""Most PEs, and most switches, of a network."""
PORT_LIMIT = 128
"""Most downers and uppers of a switch."""
MOST_IN_A_ROW = 32
"""PEs that a row shows well: of more, printed labels are too small."""


@dataclass(frozen=True, kw_only=True)
class Levels(Topology):
    """Levels of switches over PEs: sizes, numbers and wiring. Level 0 is next to the PEs.

    The nodes are the PEs, the routers the switches. A switch of level i has `downers[i]` ports
    below, to `radices[i]` children by `wires[i]` parallel wires each, and `uppers[i]` ports above;
    those of the top level are left open. A subclass gives `radices` and `uppers`.

    With a complete interconnect, a switch of level i is number ``prefix * breadths[i] + K`` of its
    level: prefix is what its PEs' numbers have in common, K = k_0 k_1 ... k_(i-1) the uppers that
    lead to it. In a tree there is one switch for each prefix. Number `w` below is a switch's number
    in its level, from 0; as a router (gid) it is ``first_switch[i] + w``.

    All members take integers or arrays of integers.

    References
    ----------
    "Least Common Ancestor Networks". Only its figures could show the order of ports, so the
    order is defined here.
    """

    is_tree = False
    """Whether all uppers of a switch lead to one parent; else to as many switches."""
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

    @property
    def turns_round(self) -> bool:
        """Whether packets from below turn round at an LCA, to go down again."""
        return len(self.sides) == 1

    @property
    def has_node_columns(self) -> bool:
        """Whether PEs stand in columns: many of them, under one copy with nothing above it."""
        return self.spans[-1] > MOST_IN_A_ROW and self.copies == 1 and self.turns_round

    def require_one_copy(self, what: str) -> Self:
        """The same topology; several copies are refused, for what is known of one alone.

        Raises
        ------
        ConfigurationError
            There are several.
        """
        if self.copies > 1:
            rule = "must be used with one copy of the levels (copies=1)"
            raise ConfigurationError(f"{what} {rule}, not {self.copies}")
        return self

    def position_in_copy(self, copy: int, p: Numbers) -> Numbers:
        """Place of PE `p` in a copy: the number that it has there."""
        return self._reordered(p, self.digit_order(copy))

    def pe_at_position(self, copy: int, place: Numbers) -> Numbers:
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
        return np.array(
            [
                self.tree_level(self.position_in_copy(x, s), self.position_in_copy(x, t))
                for x in copies
            ]
        )

    def nearest_copy(self, s: Numbers, t: Numbers) -> Numbers:
        """Copy in which PEs `s` and `t` have the lowest LCA; of several, the first."""
        return self.lca_levels(s, t).argmin(axis=0) if self.copies > 1 else (s + t) * 0

    @property
    @abstractmethod
    def uppers(self) -> tuple[int, ...]:
        """Ports above of a switch, by level."""

    def __post_init__(self) -> None:
        super().__post_init__()
        refusal = self.refusal()
        if refusal is not None:
            raise ConfigurationError(f"{self.name}: {refusal}")
        _check_sizes(self)

    def refusal(self) -> str | None:
        """Text of the error where the parameters make no network; None where they do."""

    levels = cached_property(lambda self: len(self.radices))
    """Levels of switches; a subclass may have a parameter of that name."""

    @cached_property
    def wires(self) -> tuple[int, ...]:
        """Parallel wires to each child, by level."""
        return (1, *self.uppers[:-1]) if self.is_tree else (1,) * len(self.radices)

    @cached_property
    def downers(self) -> tuple[int, ...]:
        """Ports below of a switch, by level."""
        return tuple(map(mul, self.radices, self.wires))

    @cached_property
    def breadths(self) -> tuple[int, ...]:
        """Switches with one prefix, by level (U_i): the LCA switches of a pair."""
        if self.is_tree:
            return (1,) * len(self.radices)
        return tuple(accumulate(self.uppers[:-1], mul, initial=1))

    @cached_property
    def capacities(self) -> tuple[int, ...]:
        """Wires above all switches of one prefix, by level."""
        return tuple(map(mul, self.breadths, self.uppers))

    @cached_property
    def level_sizes(self) -> tuple[int, ...]:
        """Switches of each level."""
        return tuple(
            self.pes // span * breadth
            for span, breadth in zip(self.spans, self.breadths, strict=True)
        )

    @cached_property
    def first_switch(self) -> tuple[int, ...]:
        """Router that is switch 0 of each level."""
        return tuple(accumulate(self.level_sizes[:-1], initial=0))

    @property
    def pes(self) -> int:
        """PEs, the nodes below level 0; node p is PE p."""
        return self.spans[-1]

    @property
    def nodes(self) -> int:
        """PEs; a subclass may have more nodes, after them."""
        return self.pes

    @property
    def linked_uppers(self) -> tuple[int, ...]:
        """Ports above of a switch that lead somewhere, by level: none of the top."""
        return (*self.uppers[:-1], 0)

    @cached_property
    def switches(self) -> int:
        """Switches of all levels of a copy; a router is ``copy * switches + gid``."""
        return sum(self.level_sizes)

    @property
    def routers(self) -> int:
        """Switches of all copies."""
        return self.copies * self.switches

    def level_of(self, router: Numbers) -> Numbers:
        """Level of a router."""
        gid = router % self.switches
        level = np.searchsorted(self.first_switch, gid, side="right") - 1
        return level if isinstance(router, np.ndarray) else int(level)

    def up(self, level: int, w: Numbers, k: Numbers) -> tuple[Numbers, Numbers]:
        """Switch of the next level, and its downer, behind upper `k` of switch `w`."""
        radix, uppers = self.radices[level + 1], self.uppers[level]
        if self.is_tree:
            return w // radix, w % radix * uppers + k
        prefix, choice = w // self.breadths[level], w % self.breadths[level]
        return prefix // radix * self.breadths[level + 1] + choice * uppers + k, prefix % radix

    def down(self, level: int, w: Numbers, c: Numbers) -> tuple[Numbers, Numbers]:
        """Switch of the level below, and its upper, behind downer `c`; on level 0 the PE, and 0."""
        radix = self.radices[level]
        if level == 0:
            return w * radix + c, c * 0
        uppers = self.uppers[level - 1]
        if self.is_tree:
            return w * radix + c // uppers, c % uppers
        prefix, choice = w // self.breadths[level], w % self.breadths[level]
        return (prefix * radix + c) * self.breadths[level - 1] + choice // uppers, choice % uppers

    def paths(self, s: int, t: int) -> Iterator[tuple[tuple[int, ...], list[int]]]:
        """Every up-word of a pair in rising order, and the routers of its path.

        All have the same length, and there are no others without a turn from down to up.
        """
        top = self.lca_level(s, t)
        for word in product(*map(range, self.uppers[:top])):
            switches = [w := s // self.radices[0]]
            for level, k in enumerate(word):
                w = self.up(level, w, k)[0]
                switches.append(self.first_switch[level + 1] + w)
            for level in range(top, 0, -1):
                w = self.down(level, w, self.digit(t, level) * self.wires[level])[0]
                switches.append(self.first_switch[level - 1] + w)
            yield word, switches


def _check_sizes(levels: Levels) -> None:
    """Refuse too many or too few PEs or switches, and switches with too many ports."""
    for thing, least, number in (("PEs", 2, levels.pes), ("switches", 1, levels.routers)):
        if not least <= number <= SIZE_LIMIT:
            raise ConfigurationError(
                f"{levels.name}: {thing} must be {least}..{SIZE_LIMIT}, not {number}"
            )
    for level, (downers, uppers) in enumerate(zip(levels.downers, levels.uppers, strict=True)):
        if downers + uppers > PORT_LIMIT:
            raise ConfigurationError(
                f"{levels.name}: a switch must have at most {PORT_LIMIT} downers and uppers, "
                f"not {downers} + {uppers} on level {level}"
            )


def crosspoints(topology: Levels) -> dict[str, int]:
    """Crosspoints of all switches.

    Returns
    -------
    dict
        ``full``: full crossbars, (d + u)^2 per switch. ``needed``: without turns from down to up,
        and without turns back to the child that a packet came from, except on level 0; in one-way
        use without all turns. ``built``: also without the open uppers of the top level.
    """
    full = needed = open_ways = 0
    for level, switches in enumerate(topology.level_sizes):
        d, u = topology.downers[level], topology.uppers[level]
        full += switches * (d + u) ** 2
        needed += switches * 2 * d * u
        if topology.turns_round:
            needed += switches * (d * d - blind_crosspoints(topology, level))
        open_ways = switches * 2 * d * (u - topology.linked_uppers[level])
    return {"full": full, "needed": needed, "built": needed - open_ways}


def blind_crosspoints(topology: Levels, level: int) -> int:
    """Crosspoints of a switch from a child's wires back to the same child, which nothing uses.

    On level 0 a PE may send to itself.
    """
    return topology.radices[level] * topology.wires[level] ** 2 if level else 0


def cut_facts(topology: Levels) -> list[dict[str, Any]]:
    """Packages into which each cut divides the network.

    Cut c separates level c - 1 from level c; a package is what stays connected below it.

    Returns
    -------
    list of dict
        For each cut: ``packages``, and the ``pes``, ``switches`` and bidirectional ``links`` to
        the outside of each; ``random_crossings``, the mean number of packets of a random
        permutation that cross the cut (once up and once down).
    """
    facts = []
    for cut in range(1, len(topology.radices)):
        packages = topology.pes // topology.spans[cut - 1]
        facts.append(
            {
                "cut": cut,
                "packages": packages,
                "pes": topology.spans[cut - 1],
                "switches": sum(topology.level_sizes[:cut]) // packages,
                "links": topology.capacities[cut - 1],
                "random_crossings": topology.pes - topology.spans[cut - 1],
            }
        )
    return facts


def crossings(topology: Levels, cut: int, sources: np.ndarray, destinations: np.ndarray) -> int:
    """Packets that cross a cut: those whose LCA is above it."""
    return int((topology.lca_level(sources, destinations) >= cut).sum())
