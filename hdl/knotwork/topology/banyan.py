"""Banyan networks: least-common-ancestor networks in one-way use."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from operator import mul
from typing import Any, ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import Numbers
from .lcan import LeastCommonAncestor
from .level_layouts import terminal_row
from .levels import SIZE_LIMIT, crosspoints


@dataclass(frozen=True, kw_only=True)
class Banyan(LeastCommonAncestor):
    """One-way complete interconnect of switches: PEs below, terminals on the open uppers.

    A packet of a PE goes up all levels to a terminal, one of a terminal down all levels to a PE.
    Nothing turns round, so the two directions share no link, and each is a multistage network with
    one path for each pair. The nodes are d^levels PEs, and after them u^levels terminals. Terminal
    T is on upper T mod u of switch T div u of the top.

    Parameters
    ----------
    d : int
        Downers per switch, 1..16.
    u : int
        Uppers per switch, 1..16.
    levels : int
        Levels of switches, 1..16.

    References
    ----------
    "Least Common Ancestor Networks", sections 1 and 3.1; banyans are due to Goke and Lipovski.
    """

    name: ClassVar[str] = "banyan"
    elsewhere: ClassVar[str | None] = (
        "a banyan network usually carries packets one way only; here each link has both "
        "directions, so that memories on the terminals, say, can answer the processors that ask"
    )

    d: int = parameter(Integer(1, 16), help="downers per switch")
    u: int = parameter(Integer(1, 16), help="uppers per switch")
    levels: int = parameter(Integer(1, 16), help="levels; d^levels PEs, u^levels terminals")  # pyright: ignore[reportAssignmentType]

    @property
    def terminals(self) -> int:
        """Nodes on the uppers of the top; terminal T is node ``pes + T``."""
        return prod(self.uppers)

    @property
    def nodes(self) -> int:
        """PEs and terminals."""
        return self.pes + self.terminals

    @property
    def sides(self) -> tuple[range, ...]:
        """PEs; terminals."""
        return range(self.pes), range(self.pes, self.nodes)

    def upper_to(self, terminal: Numbers, level: int) -> Numbers:
        """Upper that leads from a switch of a level to a terminal.

        Number T of a terminal is the uppers of its path from level 0 on, the first the highest
        digit.
        """
        return terminal // self.uppers[0] ** (self.levels - 1 - level) % self.uppers[0]

    @property
    def upper_width(self) -> int:
        """Bits that name an upper."""
        return (self.uppers[0] - 1).bit_length()

    @property
    def upper_offsets(self) -> tuple[int, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Lowest bit of the upper to take on each level in a terminal's address."""
        return tuple(level * self.upper_width for level in reversed(range(self.levels)))

    @property
    def address_width(self) -> int:
        """Bits of the longer of a PE's and a terminal's digits, and one for the side."""
        return max(self.digit_offsets[-1], self.levels * self.upper_width) + 1

    def address(self, node: int) -> int:
        """Digits of a PE; digits of a terminal's number, with the highest bit set."""
        if node < self.pes:
            return super().address(node)
        digits = (self.upper_to(node - self.pes, level) for level in range(self.levels))
        code = sum(map(mul, digits, (1 << place for place in self.upper_offsets)))
        return code | 1 << self.address_width - 1

    def node_at(self, address: int) -> int | None:
        """Node of this address; None where a digit is too large or a bit between is set."""
        side = 1 << self.address_width - 1
        if not 0 <= address < 2 * side:
            return None
        if address < side:
            low = self.digit_offsets[-1]
            return None if address >> low else super().node_at(address)
        number, mask = 0, (1 << self.upper_width) - 1
        for place in self.upper_offsets:
            digit = address >> place & mask
            if digit >= self.uppers[0]:
                return None
            number = number * self.uppers[0] + digit
        return None if (address - side) >> self.levels * self.upper_width else self.pes + number

    def label(self, node: int) -> str:
        """Digits of a PE; of a terminal, ``t`` and the uppers of its paths: ``t010``."""
        if node < self.pes:
            return super().label(node)
        separator = "" if self.uppers[0] <= 10 else "_"
        digits = (self.upper_to(node - self.pes, level) for level in range(self.levels))
        return f"t{separator.join(map(str, digits))}"

    def refusal(self) -> str | None:
        """At most as many terminals as PEs may be."""
        if self.terminals > SIZE_LIMIT:
            return f"terminals must be at most {SIZE_LIMIT}, not {self.terminals}"
        return None

    @property
    def radices(self) -> tuple[int, ...]:
        """Downers of a switch, the same on all levels."""
        return (self.d,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """Uppers of a switch, the same on all levels."""
        return (self.u,) * self.levels

    @property
    def linked_uppers(self) -> tuple[int, ...]:
        """All: those of the top lead to terminals."""
        return self.uppers

    def router_of(self, node: int) -> int:
        """Switch of level 0 above a PE, or of the top below a terminal."""
        if node < self.pes:
            return super().router_of(node)
        return self.first_switch[-1] + (node - self.pes) // self.u

    def _attached(self, empty: np.ndarray, copy: int) -> np.ndarray:
        """PEs and terminals behind the ports of the switches."""
        attached = super()._attached(empty, copy)
        switch = np.arange(self.level_sizes[-1])
        for k in range(self.u):
            attached[self.first_switch[-1] + switch, self.up_port(k)] = (
                self.pes + switch * self.u + k
            )
        return attached

    def link_kind(self, router: int, port: int) -> int:
        """Which child of the upper switch the lower one is, from 1; 0 for a node's link."""
        return 0 if self.neighbours[router, port] < 0 else super().link_kind(router, port)

    def node_layout(self) -> np.ndarray:
        """PEs below level 0, terminals above the top."""
        return np.concatenate([super().node_layout(), terminal_row(self)])

    @property
    def hop_counts(self) -> range:
        """One for all paths: they cross every level."""
        return range(self.levels - 1, self.levels)

    @cached_property
    def distance_counts(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ordered pairs of a PE and a terminal, all with as many hops."""
        counts = np.zeros(self.levels, np.int64)
        counts[-1] = 2 * self.pes * self.terminals
        return counts

    def known_average_distance(self) -> Fraction:
        """Hops of every path."""
        return Fraction(self.levels - 1)

    def distance(self, source: Numbers, destination: Numbers) -> Numbers:
        """Hops of every path."""
        return (source + destination) * 0 + self.levels - 1

    def extra_facts(self) -> dict[str, Any]:
        """Numbers of PEs and terminals, sizes of levels, crosspoints."""
        uplinks = [size * self.u for size in self.level_sizes]
        return {
            "pes": self.pes,
            "terminals": self.terminals,
            "level_sizes": list(self.level_sizes),
            "downers": list(self.downers),
            "uppers": list(self.uppers),
            "links_a_level": [self.pes, *uplinks],
            "crosspoints": crosspoints(self),
            "paths": 1,
        }
