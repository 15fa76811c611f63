"""Unicast on product networks: one factor after the other, in each by a shortest path.

In a Petersen graph the last hop of a path is in class 1, and a hop before it in class 0. On a ring,
a path that passes the dateline, between the last position and the first, is in class 0 up to and
including the hop that passes it, and in class 1 afterwards; a path that does not pass it is in
class 1. On a line there is one class.

Petersen graphs need both classes: shortest paths there are unique, and in one class those of two
hops round a pentagon would wait for each other. Rings of five and more need both for the same
reason; those of four too if all ties go back.
"""

from functools import cached_property
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..topology import LOCAL
from ..topology.factors import NO_WRAP, ONE_WAY, Factor, ring_hop
from ..topology.petersen import NEXT_CLASSES, NEXT_PORTS
from ..topology.product import ProductTopology
from .base import Routing
from .compiled.compilable import compilable
from .rules import Rule, Turn

PETERSEN_PORTS = 3
"""Ports of a Petersen graph; those of the rings and lines come after."""

compilable(ring_hop)


class FactorNumbers(NamedTuple):
    """Integers that `factor_by_factor` reads, in this order.

    Members
    -------
    block : int
        Size of the Petersen graphs; 1 without.
    columns, rows, layers : int
        Sizes of the rings or lines; 1 for a missing one.
    wrap : int
        How their ends are joined, as `Factor.wrap`.
    ties_back : int
        Whether paths half way round a ring all go backward, as `Factor.ties_back`.
    last_petersen_class, last_row_class : int
        Last virtual-channel classes in Petersen graphs, and in rings or lines.
    """

    block: int
    columns: int
    rows: int
    layers: int
    wrap: int
    ties_back: int
    last_petersen_class: int
    last_row_class: int

    def last_class(self, factor: Factor) -> int:
        """Last virtual-channel class in a factor."""
        return self.last_row_class if factor.is_row else self.last_petersen_class


AT = FactorNumbers(*range(len(FactorNumbers._fields)))
"""Place of each among the rule's parameters."""

_NEXT: Any = NEXT_PORTS
_LATE: Any = NEXT_CLASSES


@compilable
def row_hop(parameters, before, size, here, there):
    """Port and class of a hop in a ring or a line, whose first port is `before`."""
    if parameters[AT.wrap] == NO_WRAP:
        return before + int(there > here), 0
    last_class = parameters[AT.last_row_class]
    if parameters[AT.wrap] == ONE_WAY:
        return before, min(int(there > here), last_class)
    forward, late = ring_hop(size, here, there, parameters[AT.ties_back])
    return before + int(forward), min(int(late), last_class)


@compilable
def factor_by_factor(parameters, router, port, channel_class, destination):
    """Petersen graph, columns, rows, layers: the first in which the positions differ."""
    block, columns = parameters[AT.block], parameters[AT.columns]
    here, there = router % block, destination % block
    if here != there:
        return _NEXT[here, there], min(_LATE[here, there], parameters[AT.last_petersen_class])
    before, ports = (
        1 if block == 1 else 1 + PETERSEN_PORTS,
        1 if parameters[AT.wrap] == ONE_WAY else 2,
    )
    size, left, wanted = columns, router // block, destination // block
    here, there = left % size, wanted % size
    if here == there:
        before, left, wanted = before + ports, left // size, wanted // size
        size = parameters[AT.rows]
        here, there = left % size, wanted % size
    if here == there:
        before, here, there = before + ports, left // size, wanted // size
        size = parameters[AT.layers]
    if here == there:
        return 0, 0
    return row_hop(parameters, before, size, here, there)


Ends = set[tuple[int, int]]
Throughs = set[tuple[int, int, int, int]]


class Crossings(NamedTuple):
    """What packets do in one factor, by group of positions; ports are the router's.

    Members
    -------
    starts, ends : list of set
        Ports and classes by which they begin and end their way in the factor.
    throughs : list of set
        Input port and class, output port and class of those that go on in it.
    """

    starts: list[Ends]
    ends: list[Ends]
    throughs: list[Throughs]


def unicast_crossings(factor: Factor, first: int, last_class: int) -> Crossings:
    """Crossings of the packets of all pairs of positions; `first` is the factor's first port.

    A long factor has those of a shorter one: more of the same hops add no turns.
    """
    factor = factor.shortened()
    port, vc_class = factor.next_hops
    vc_class = np.minimum(vc_class, last_class)
    here, there = np.nonzero(~np.eye(factor.size, dtype=bool))
    group = factor.position_groups
    out, after = port[here, there], vc_class[here, there]
    reached = factor.neighbours[here, out]
    into = np.array(factor.peers)[out] + first
    on = reached != there
    starts = group[here], out + first, after
    ends = group[reached[~on]], into[~on], after[~on]
    throughs = (
        *(group[reached[on]], into[on], after[on]),
        *(port[reached[on], there[on]] + first, vc_class[reached[on], there[on]]),
    )
    groups = int(group.max()) + 1
    return Crossings(*(_by_group(groups, columns) for columns in (starts, ends, throughs)))


def _by_group(groups: int, columns: tuple[np.ndarray, ...]) -> list[set]:
    """Rows of `columns` but the first, as a set for each number in that."""
    found: list[set] = [set() for _ in range(groups)]
    if len(columns[0]):
        for group, *row in np.unique(np.stack(columns, axis=1), axis=0).tolist():
            found[group].add(tuple(row))
    return found


def composed(crossings: list[Crossings], groups: list[int], *, copies: bool = False) -> set[Turn]:
    """Turns at a router with these groups of positions, from what is done in each factor.

    The factors are independent: where a packet can finish one, it can start in any later one.
    """
    turns = set() if copies else {Turn(LOCAL, 0, LOCAL, 0)}
    into: Ends = {(LOCAL, 0)}
    for (starts, ends, throughs), group in zip(crossings, groups, strict=True):
        turns |= {Turn(i, a, o, b) for i, a in into for o, b in starts[group]}
        turns |= {Turn(*through) for through in throughs[group]}
        turns |= {Turn(i, a, LOCAL, 0) for i, a in ends[group]}
        into |= ends[group]
    return turns


class FactorByFactor(Routing):
    """One factor after the other, the first first, in each by a shortest path.

    Two classes, or one where there are no Petersen graphs and no rings of four or more.
    """

    topology: ProductTopology
    petersen_classes: ClassVar[int] = 2
    ring_classes: ClassVar[int] = 2
    """Classes that may be used in the factors, if there are so many."""

    def needed_virtual_channels(self) -> int:
        """Two, or one."""
        return max(factor.path_classes for factor in self.topology.factors)

    @property
    def rule(self) -> Rule:
        """See `factor_by_factor`."""
        return factor_by_factor

    @property
    def numbers(self) -> FactorNumbers:
        """Parameters of the rule by their names."""
        factors = self.topology.factors
        rows = [factor for factor in factors if factor.is_row]
        sizes = [*(factor.size for factor in rows), 1, 1, 1][:3]
        return FactorNumbers(
            self.topology.nodes // prod(sizes),
            *sizes,
            wrap=max((factor.wrap for factor in rows), default=NO_WRAP),
            ties_back=int(any(factor.ties_back for factor in rows)),
            last_petersen_class=min(self.petersen_classes, self.classes) - 1,
            last_row_class=min(self.ring_classes, self.classes) - 1,
        )

    @property
    def parameters(self) -> np.ndarray:
        """See `FactorNumbers`."""
        return np.array(self.numbers, np.int64)

    @cached_property
    def _groups(self) -> np.ndarray:
        """Group of each router's position in each factor, int of shape (routers, factors)."""
        table, factors = self.topology.position_table, self.topology.factors
        columns = [f.position_groups[table[:, i]] for i, f in enumerate(factors)]
        return np.stack(columns, axis=1)

    @cached_property
    def router_groups(self) -> np.ndarray:
        """By the groups of their positions."""
        number = np.zeros(self.topology.routers, np.int64)
        for groups in self._groups.T:
            number = number * (int(groups.max()) + 1) + groups
        return np.unique(number, return_inverse=True)[1].reshape(-1)

    def group_name(self, router: int) -> str:
        """Words for its positions in the rings or lines, such as ``LR_first_UD_inner``."""
        factors, groups = self.topology.factors, self._groups[router].tolist()
        return "_".join(
            f"{''.join(factor.ports)}_{factor.group_names[group]}"
            for factor, group in zip(factors, groups, strict=True)
            if factor.is_row
        )

    @cached_property
    def _crossings(self) -> list[Crossings]:
        found, first = [], 1
        for factor in self.topology.factors:
            found.append(unicast_crossings(factor, first, self.numbers.last_class(factor)))
            first += len(factor.ports)
        return found

    def class_turns(self, router: int, *, opposite: bool = False) -> set[Turn]:
        """See `composed`; those of packets that take the last factor first, if `opposite`."""
        step = -1 if opposite else 1
        return composed(self._crossings[::step], self._groups[router].tolist()[::step])

    def rank(self, *, opposite: bool = False) -> np.ndarray | None:
        """Later factors above earlier ones; in a factor class 1 above class 0, then the way.

        None where there are too few classes. If `opposite`, earlier factors are above later ones.
        """
        if self.classes < self.needed_virtual_channels():
            return None
        topology, base, first = self.topology, 0, 1
        rank = np.zeros((topology.routers, len(topology.ports), self.classes), np.int64)
        vc_class = np.arange(self.classes)
        above = self.classes * sum(factor.size for factor in topology.factors)
        for number, factor in enumerate(topology.factors):
            ways, height = len(factor.ports), self.classes * factor.size
            steps = factor.ranks[topology.position_table[:, number]]
            start = above - base - height if opposite else base
            along = start + steps[:, :, None] + vc_class * factor.size
            rank[:, first : first + ways] = along
            base, first = base + height, first + ways
        return rank
