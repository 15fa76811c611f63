"""Product networks: every router has a position in each of a few small graphs."""

from abc import abstractmethod
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..parameters import Choice, format_value
from .base import Topology
from .factors import Factor

RING_CODES = Choice(("johnson", "binary"))
"""Codes of a position on a ring."""


@dataclass(frozen=True, kw_only=True)
class ProductTopology(Topology):
    """Cartesian product of factors: a link changes the position in one of them.

    The first factor is the lowest part of a node's index and of its address; its ports come
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
    def dimensions(self) -> tuple[int, ...]:
        """Sizes of the factors, where all of them are rows."""
        rows = all(factor.is_row for factor in self.factors)
        return tuple(factor.size for factor in self.factors) if rows else ()

    @property
    def ports(self) -> tuple[str, ...]:
        """``local``, and each factor's ports."""
        return ("local", *(port for factor in self.factors for port in factor.ports))

    @property
    def instance_name(self) -> str:
        """Network and parameters, but for those that have a default and keep it."""
        parts = [
            f"{field.name}{format_value(getattr(self, field.name))}"
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
        return _node_at(self.factors, address)

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

    def known_bisection(self) -> tuple[int, int]:
        """Bounds of the fewest links between two halves that differ by a node at most."""
        return _least_cut(self.factors), _best_cut(self.factors)

    def extra_facts(self) -> dict[str, Any]:
        """Distance sum from a node, where it is the same from each."""
        if len(self.representatives) > 1:
            return {}
        return {"distance_sum": self.distance_sum // self.nodes}

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Each pair of ports that meet, and each port that meets its like."""
        pairs = ((self.ports[a], self.ports[b]) for a, b in _paired_ports(self.factors))
        return ("to a node", *(" - ".join(dict.fromkeys(names)) for names in pairs))

    def link_kind(self, router: int, port: int) -> int:
        """Number of the pair of ports."""
        del router
        return _link_kind(self, port)


def _link_kind(topology: ProductTopology, port: int) -> int:
    """Number, from 1, of the pair of ports of which a port is one."""
    for kind, pair in enumerate(_paired_ports(topology.factors), start=1):
        if port in pair:
            return kind
    last = len(topology.ports) - 1
    raise ValueError(f"{topology.name}: a port must be one of 1..{last}, not {port}")


def _node_at(factors: tuple[Factor, ...], address: int) -> int | None:
    """Node whose address in the factors' product this is; None where one has no such code."""
    node, weight = 0, 1
    for factor in factors:
        position = factor.position_at(address & ((1 << factor.width) - 1))
        if position is None:
            return None
        node, weight = node + position * weight, weight * factor.size
        address >>= factor.width
    return None if address else node


def _least_cut(factors: tuple[Factor, ...]) -> int:
    """Fewest links that two halves can have between them.

    Of one packet for each ordered pair, those from half to half, divided by the most that a link
    carries when the packets are spread.
    """
    nodes = prod(factor.size for factor in factors)
    crossing = 2 * (nodes // 2) * ((nodes + 1) // 2)
    loads = [Fraction(*factor.heaviest_load) * nodes / factor.size for factor in factors]
    least = crossing / max(loads)
    return -(-least.numerator // least.denominator)


def _paired_ports(factors: tuple[Factor, ...]) -> list[tuple[int, int]]:
    """Ports of a router that meet at the two ends of a link, the lower one first, in order."""
    pairs, first = [], 1
    for factor in factors:
        peers = enumerate(factor.peers)
        pairs += [(first + port, first + peer) for port, peer in peers if port <= peer]
        first += len(factor.ports)
    return pairs


def _best_cut(factors: tuple[Factor, ...]) -> int:
    """Links of the best cut across all copies of one factor; 0 without factors.

    Where the factor has a middle position, the cut goes on across the copies of the others there.
    """
    cuts = []
    nodes = prod(factor.size for factor in factors)
    for number, factor in enumerate(factors):
        links = factor.cut * nodes // factor.size
        if factor.size % 2:
            links += _best_cut(factors[:number] + factors[number + 1 :])
        cuts.append(links)
    return min(cuts, default=0)
