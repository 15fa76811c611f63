"""Product networks: every router has a position in each of a few small graphs."""

from abc import abstractmethod
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..parameters import Choice, spelled
from .base import Topology
from .factors import Factor

RING_CODES = Choice(("johnson", "binary"))
"""Codes of a position on a ring."""


@dataclass(frozen=True, kw_only=True)
class ProductTopology(Topology):
    """Cartesian product of factors: a link changes the position in one of them.

    The first factor is the lowest in a node's index and in its address, and its ports are the
    first. A subclass gives `factors`.
    """

    @property
    @abstractmethod
    def factors(self) -> tuple[Factor, ...]:
        """Factors, the lowest first."""

    @property
    def nodes(self) -> int:
        """Product of the factors' sizes."""
        return prod(factor.size for factor in self.factors)

    @property
    def ports(self) -> tuple[str, ...]:
        """``local``, and each factor's ports."""
        return ("local", *(port for factor in self.factors for port in factor.ports))

    @property
    def instance_name(self) -> str:
        """Network and parameters, but for those that have a default and keep it."""
        parts = [
            f"{field.name}{spelled(getattr(self, field.name))}"
            for field in fields(self)
            if field.default is MISSING or getattr(self, field.name) != field.default
        ]
        return "_".join([self.name, *parts])

    def positions(self, node: int) -> list[int]:
        """Position of a node in each factor."""
        found = []
        for factor in self.factors:
            node, position = divmod(node, factor.size)
            found.append(position)
        return found

    @cached_property
    def position_table(self) -> np.ndarray:
        """Positions of all routers, int32 of shape (routers, factors)."""
        rest, columns = np.arange(self.nodes, dtype=np.int32), []
        for factor in self.factors:
            columns.append(rest % factor.size)
            rest //= factor.size
        return np.stack(columns, axis=1)

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Router behind each port."""
        router = np.arange(self.nodes, dtype=np.int32)
        table, weight, first = np.full((self.nodes, len(self.ports)), -1, np.int32), 1, 1
        for number, factor in enumerate(self.factors):
            here = self.position_table[:, number]
            for port in range(len(factor.ports)):
                there = factor.neighbours[here, port]
                table[:, first + port] = np.where(
                    there >= 0, router + (there - here) * np.int32(weight), -1
                )
            weight, first = weight * factor.size, first + len(factor.ports)
        return table

    @cached_property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As in the factor."""
        row = [-1]
        for factor in self.factors:
            row += [len(row) + peer for peer in factor.peers]
        return np.where(self.neighbours >= 0, np.array(row, np.int32), -1).astype(np.int32)

    @property
    def representatives(self) -> np.ndarray:
        """Router 0, if every factor looks the same from all positions."""
        if all(factor.is_transitive for factor in self.factors):
            return np.zeros(1, np.int64)
        return super().representatives

    @property
    def address_width(self) -> int:
        """Bits of all factors' codes."""
        return sum(factor.width for factor in self.factors)

    def address(self, node: int) -> int:
        """Codes of the positions, the first factor's lowest."""
        code, place = 0, 0
        for factor, position in zip(self.factors, self.positions(node), strict=True):
            code |= factor.code(position) << place
            place += factor.width
        return code

    def node_at(self, address: int) -> int | None:
        """Node whose positions have these codes."""
        node, weight = 0, 1
        for factor in self.factors:
            position = factor.position_at(address & ((1 << factor.width) - 1))
            if position is None:
                return None
            node, weight = node + position * weight, weight * factor.size
            address >>= factor.width
        return None if address else node

    def label(self, node: int) -> str:
        """Positions, the last factor's first: ``3.0``."""
        named = zip(self.factors, self.positions(node), strict=True)
        return ".".join(reversed([factor.label(position) for factor, position in named]))

    def distance(self, source: int, destination: int) -> int:
        """Sum of the factors' distances."""
        ends = zip(self.factors, self.positions(source), self.positions(destination), strict=True)
        return sum(factor.distance(a, b) for factor, a, b in ends)

    def known_diameter(self) -> int:
        """Sum of the factors' diameters."""
        return sum(factor.diameter for factor in self.factors)

    @property
    def distance_sum(self) -> int:
        """Distances of all ordered pairs of nodes, added up."""
        nodes = self.nodes
        return sum(f.distance_sum * (nodes // f.size) ** 2 for f in self.factors)

    def known_average_distance(self) -> Fraction:
        """Of distinct nodes."""
        return Fraction(self.distance_sum, self.nodes * (self.nodes - 1))

    @property
    def bisection_bounds(self) -> tuple[int, int]:
        """Bounds of the fewest links between two halves that differ by a node at most.

        At least: of one packet for each ordered pair, those from half to half, over the most that a
        link carries when they are spread. At most: the best cut across all copies of one factor,
        and across its middle position where it has one.
        """
        nodes = self.nodes
        crossing = 2 * (nodes // 2) * ((nodes + 1) // 2)
        loads = [Fraction(*f.heaviest_load) * nodes / f.size for f in self.factors]
        least = crossing / max(loads)
        return -(-least.numerator // least.denominator), _best_cut(self.factors)

    def more_facts(self) -> dict[str, Any]:
        """Distance sum from a node, and the bisection: exact, or null between bounds."""
        low, high = self.bisection_bounds
        facts: dict[str, Any] = {"bisection": low if low == high else None}
        facts["bisection_bounds"] = [low, high]
        if len(self.representatives) == 1:
            facts["distance_sum"] = self.distance_sum // self.nodes
        return facts

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Each pair of ports that meet, and each port that meets its like."""
        kinds: list[str] = []
        for factor in self.factors:
            for port, peer in enumerate(factor.peers):
                if port <= peer:
                    names = dict.fromkeys((factor.ports[port], factor.ports[peer]))
                    kinds.append(" - ".join(names))
        return ("to a node", *kinds)

    def link_kind(self, router: int, port: int) -> int:
        """Number of the pair of ports."""
        del router
        first, kind = 1, 0
        for factor in self.factors:
            for number, peer in enumerate(factor.peers):
                kind += number <= peer
                if port in (first + number, first + peer) and number <= peer:
                    return kind
            first += len(factor.ports)
        raise ValueError(f"{self.name}: a port must be one of 1..{first - 1}, not {port}")


def _best_cut(factors: tuple[Factor, ...]) -> int:
    """Links of the best cut across one factor; 0 across none."""
    cuts = []
    nodes = prod(factor.size for factor in factors)
    for number, factor in enumerate(factors):
        links = factor.cut * nodes // factor.size
        if factor.size % 2:
            links += _best_cut(factors[:number] + factors[number + 1 :])
        cuts.append(links)
    return min(cuts, default=0)
