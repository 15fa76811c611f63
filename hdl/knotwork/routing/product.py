"""Unicast on product networks: one factor after the other, in each by a shortest path.

In a Petersen graph a packet with two hops to go takes the first in class 0, and the last hop is in
class 1. On a ring a packet whose way passes the dateline, between the last position and the first,
is in class 0 up to and on the hop that passes it; in class 1 after it, and where the way does not
pass it. On a line there is one class.

Petersen graphs need both: shortest paths there are unique, and on one channel those of two hops
round a pentagon wait for each other. Rings of four and more need both, for the same reason.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..topology import LOCAL
from ..topology.factors import Factor, Line, OneWayRing, Ring, Row
from ..topology.petersen import DISTANCES, NEXT_PORTS, PetersenGraph
from ..topology.product import ProductTopology
from .base import Routing
from .compiled.compilable import compilable
from .rules import Rule, Turn

LONG = 16
"""Positions of a ring or line from which on its length decides nothing but its parity."""
PETERSEN_PORTS = 3
"""Ports of a Petersen graph; those of the rings and lines come after."""

ONE_WAY = 2
"""What the rule's parameters say of rings whose links lead one way; 1 of others, 0 of lines."""

_NEXT: Any = NEXT_PORTS
_LATE: Any = (DISTANCES == 1).astype(np.int64)


@compilable
def ring_hop(size, here, there):
    """Whether to go to the next position, and whether in class 1; arrays are welcome.

    The way back at half way.
    """
    forward = (there - here) % size * 2 < size
    return forward, (there > here) == forward


@compilable
def factor_by_factor(parameters, router, port, channel_class, destination):
    """Petersen graph, columns, rows: the first in which the positions differ."""
    block, columns, wraps = parameters[0], parameters[1], parameters[3]
    here, there = router % block, destination % block
    if here != there:
        return _NEXT[here, there], min(_LATE[here, there], parameters[4])
    before, ports = 1 if block == 1 else 1 + PETERSEN_PORTS, 1 if wraps == ONE_WAY else 2
    size, here, there = columns, router // block % columns, destination // block % columns
    if here == there:
        before, size = before + ports, parameters[2]
        here, there = router // block // columns, destination // block // columns
    if here == there:
        return 0, 0
    if wraps == 0:
        return before + int(there > here), 0
    if wraps == ONE_WAY:
        return before, min(int(there > here), parameters[5])
    forward, late = ring_hop(size, here, there)
    return before + int(forward), min(int(late), parameters[5])


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


def position_groups(factor: Factor) -> np.ndarray:
    """Group of each position, int: one of a Petersen graph; else first, inner ones, last.

    The routers that have the same groups in all factors have the same ports and turns.
    """
    if isinstance(factor, PetersenGraph):
        return np.zeros(factor.size, np.int64)
    group = np.ones(factor.size, np.int64)
    group[0], group[-1] = 0, min(factor.size - 1, 2)
    return group


def all_hops(factor: Factor) -> tuple[np.ndarray, np.ndarray]:
    """Port, from 0, and class at each position to each other, int of shape (size, size)."""
    if isinstance(factor, PetersenGraph):
        return NEXT_PORTS - 1, _LATE
    here, there = np.ogrid[: factor.size, : factor.size]
    if isinstance(factor, Line):
        return (there > here).astype(np.int64), np.zeros((factor.size, factor.size), np.int64)
    if isinstance(factor, OneWayRing):
        return np.zeros((factor.size, factor.size), np.int64), (there > here).astype(np.int64)
    forward, late = ring_hop(factor.size, here, there)
    return forward.astype(np.int64), late.astype(np.int64)


def unicast_crossings(factor: Factor, first: int, last_class: int) -> Crossings:
    """Crossings of the packets of all pairs of positions; `first` is the factor's first port.

    Those of a long factor are a shorter one's: more of the same hops add no turns.
    """
    if isinstance(factor, Row) and factor.size > LONG:
        factor = replace(factor, size=LONG + factor.size % 2)
    port, vc_class = all_hops(factor)
    vc_class = np.minimum(vc_class, last_class)
    here, there = np.nonzero(~np.eye(factor.size, dtype=bool))
    group = position_groups(factor)
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


def _by_group(groups: int, columns: tuple[np.ndarray, ...]) -> Any:
    """Rows of `columns` but the first, as a set for each number in that."""
    found: list[set] = [set() for _ in range(groups)]
    if len(columns[0]):
        for group, *row in np.unique(np.stack(columns, axis=1), axis=0).tolist():
            found[group].add(tuple(row))
    return found


def composed(crossings: list[Crossings], groups: list[int], *, copies: bool = False) -> set[Turn]:
    """Turns at a router with these groups of positions, from what is done in each factor.

    The factors are independent: wherever a packet can end its way in one, it can begin one in any
    after it.
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
        factors = self.topology.factors
        needs = (isinstance(f, PetersenGraph) or _is_long(f) for f in factors)
        return 2 if any(needs) else 1

    @property
    def rule(self) -> Rule:
        """See `factor_by_factor`."""
        return factor_by_factor

    @property
    def parameters(self) -> np.ndarray:
        """Size of a Petersen graph or 1, columns, rows, kind of rings, last classes."""
        factors = self.topology.factors
        rows = [factor for factor in factors if not isinstance(factor, PetersenGraph)]
        block = 1 if len(rows) == len(factors) else 10
        sizes = [*(factor.size for factor in rows), 1, 1][:2]
        wraps = max((_wraps(factor) for factor in rows), default=0)
        return np.array([block, *sizes, wraps, *self._last_classes], np.int64)

    @property
    def _last_classes(self) -> tuple[int, int]:
        """Last class in Petersen graphs, on rings."""
        most = self.petersen_classes, self.ring_classes
        return min(most[0], self.classes) - 1, min(most[1], self.classes) - 1

    @cached_property
    def _groups(self) -> np.ndarray:
        """Group of each router's position in each factor, int of shape (routers, factors)."""
        table, factors = self.topology.position_table, self.topology.factors
        columns = [position_groups(f)[table[:, i]] for i, f in enumerate(factors)]
        return np.stack(columns, axis=1)

    @cached_property
    def router_groups(self) -> np.ndarray:
        """By the groups of their positions."""
        number = np.zeros(self.topology.routers, np.int64)
        for groups in self._groups.T:
            number = number * (int(groups.max()) + 1) + groups
        return np.unique(number, return_inverse=True)[1].reshape(-1)

    def place(self, router: int) -> str:
        """Whether at the first, an inner or the last position of each ring or line."""
        factors, groups = self.topology.factors, self._groups[router].tolist()
        return "_".join(
            f"{''.join(factor.ports)}_{('first', 'inner', 'last')[group]}"
            for factor, group in zip(factors, groups, strict=True)
            if not isinstance(factor, PetersenGraph)
        )

    @cached_property
    def _crossings(self) -> list[Crossings]:
        found, first = [], 1
        for factor in self.topology.factors:
            last_class = self._last_classes[not isinstance(factor, PetersenGraph)]
            found.append(unicast_crossings(factor, first, last_class))
            first += len(factor.ports)
        return found

    def class_turns(self, router: int) -> set[Turn]:
        """See `composed`."""
        return composed(self._crossings, self._groups[router].tolist())

    def rank(self) -> np.ndarray | None:
        """Later factors above earlier ones; in a factor class 1 above class 0, then the way.

        None where there are too few classes.
        """
        if self.classes < self.needed_virtual_channels():
            return None
        topology, base, first = self.topology, 0, 1
        rank = np.zeros((topology.routers, len(topology.ports), self.classes), np.int64)
        vc_class = np.arange(self.classes)
        for number, factor in enumerate(topology.factors):
            ways = len(factor.ports)
            steps = np.zeros((topology.routers, ways), np.int64)
            if not isinstance(factor, PetersenGraph):
                here = topology.position_table[:, number]
                steps = np.stack([factor.size - 1 - here, here], axis=1)[:, -ways:]
            along = base + steps[:, :, None] + vc_class * factor.size
            rank[:, first : first + ways] = along
            base, first = base + self.classes * factor.size, first + ways
        return rank


def _is_long(factor: Factor) -> bool:
    if isinstance(factor, OneWayRing):
        return factor.size > 2
    return isinstance(factor, Ring) and factor.size > 3


def _wraps(factor: Factor) -> int:
    return ONE_WAY if isinstance(factor, OneWayRing) else int(isinstance(factor, Ring))
