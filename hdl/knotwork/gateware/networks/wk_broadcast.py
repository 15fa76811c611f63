"""Branches of broadcasts in the WK-recursive networks.

A module has one own digit and one corner level, so both are constants here. A virtual-channel class
below the last is the highest level m that the copy has crossed; with one class per level, so is the
last.
"""

from collections.abc import Hashable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ...routing.wk.broadcast import stack_field
from ...topology import LOCAL, WkRecursive
from ..parts.route import BranchComputation

ALWAYS, NEVER = Const(1, 1), Const(0, 1)


class _Branches(BranchComputation):
    """Copies from own port and node to the whole cluster, and from the cluster to the own port.

    A subclass says when a copy from the cluster leaves it, and the labels.
    """

    @property
    def parameters(self) -> Hashable:
        """Where copies come from and how far up; which of them leave the cluster."""
        leaves = tuple(turn.output_port == self._own_port for turn in self.turns)
        return self.network, self._port == LOCAL, self._class, self._level, leaves

    def elaborate(self, platform: object) -> Module:
        m = Module()
        crosses = self._crosses()
        within, across = self._labels(m)
        for number, turn in enumerate(self.turns):
            leaves = turn.output_port == self._own_port
            m.d.comb += [
                self.select[number].eq(crosses if leaves else 1),
                self.labels[number].eq(across if leaves else within),
            ]
        return m

    def _crosses(self) -> Value:
        """Whether a copy leaves the cluster."""
        if self._port == LOCAL:
            return ALWAYS
        return Cat(is_so & self._leaves(m) for m, is_so in self._crossed()).any()

    def _leaves(self, m: int) -> Value:
        """Whether a copy that has crossed level m, and came by a link of the cluster, leaves it."""
        if self._level >= m:
            return ALWAYS if self._level > m else NEVER
        return self._flip == self._digit_above(m)

    def _crossed(self) -> list[tuple[int, Value]]:
        """Levels m that a copy here can have crossed, and whether it has."""
        levels, last = self._topology.levels, self.network.routing.classes - 1
        if self._class < last or self._class == levels - 1:
            return [(self._class, ALWAYS)]
        return [(m, self._has_crossed(m)) for m in range(self._class, levels)]

    def _has_crossed(self, m: int) -> Value:
        """Whether m is the level that a copy has crossed, where its class does not tell."""
        raise NotImplementedError

    def _digit_above(self, m: int) -> Value:
        """Digit of the source above level m."""
        raise NotImplementedError

    def _labels(self, m: Module) -> tuple[Value, Value]:
        """Labels of a copy within the cluster, and of one that leaves it."""
        raise NotImplementedError

    @property
    def _topology(self) -> WkRecursive:
        return WkRecursive.of(self.network.topology)

    @property
    def _port(self) -> int:
        return self.turns[0].input_port

    @property
    def _class(self) -> int:
        return self.turns[0].input_vc % self.network.routing.classes

    @property
    def _own_port(self) -> int:
        return 1 + int(self._topology.digits[self.router, 0])

    @property
    def _level(self) -> int:
        return int(self._topology.corner_levels[self.router])

    @property
    def _flip(self) -> Value:
        """Digit above the equal ones; only where there is one."""
        return self._digit(self.address, self._level)

    def _digit(self, address: Value, place: int) -> Value:
        return address.word_select(place, self._topology.digit_bits)


class LabelBranches(_Branches):
    """`routing.wk.broadcast.by_label`: t, and above it m where a class can stand for several."""

    def _has_crossed(self, m: int) -> Value:
        return self.label[self._topology.digit_bits :] == m

    def _digit_above(self, m: int) -> Value:
        del m
        return self.label[: self._topology.digit_bits]

    def _labels(self, m: Module) -> tuple[Value, Value]:
        if self._level == self._topology.levels:
            return (Const(0) if self._port == LOCAL else self.label), Const(0)
        mine = Cat(self._flip, Const(self._level, (self._topology.levels - 1).bit_length()))
        if self._port == LOCAL:
            return Const(0), mine
        lower = Cat(is_so for m, is_so in self._crossed() if m < self._level).any()
        return self.label, Mux(lower, mine, self.label)


class AddressBranches(_Branches):
    """`routing.wk.broadcast.by_address`: m is below the highest digit that is not the source's."""

    def _has_crossed(self, m: int) -> Value:
        low = (m + 1) * self._topology.digit_bits
        differs = self._digit(self.address, m) != self._digit(self.source, m)
        return (self.address[low:] == self.source[low:]) & differs

    def _digit_above(self, m: int) -> Value:
        return self._digit(self.source, m)

    def _labels(self, m: Module) -> tuple[Value, Value]:
        return self.label, self.label


class _LevelsBranches(_Branches):
    """The label names all levels over whose links a copy must not come."""

    def _crosses(self) -> Value:
        if self._port == LOCAL or self._level == self._topology.levels:
            return ALWAYS
        highest, _ = self._crossed()[-1]
        return ALWAYS if highest < self._level else ~self._is_barred()

    def _has_crossed(self, m: int) -> Value:
        del m
        return ALWAYS

    def _labels(self, m: Module) -> tuple[Value, Value]:
        if self._port == LOCAL:
            return Const(0), Const(0)
        if self._port != self._own_port:
            return self.label, self._label_across()
        return self._label_within(m), Const(0)

    def _is_barred(self) -> Value:
        """Whether the label has the level of the router's link out of the cluster."""
        raise NotImplementedError

    def _label_across(self) -> Value:
        """Label of a copy that came by a link of the cluster and leaves it."""
        raise NotImplementedError

    def _label_within(self, m: Module) -> Value:
        """Label of a copy that came into the cluster."""
        raise NotImplementedError


class MaskBranches(_LevelsBranches):
    """`routing.wk.broadcast.by_mask`: bit i - 1 for level i."""

    def _is_barred(self) -> Value:
        return self.label[self._level - 1]

    def _label_across(self) -> Value:
        return self.label

    def _label_within(self, m: Module) -> Value:
        del m
        return Cat(Const(0, self._level - 1), ALWAYS, self.label[self._level :])


class StackBranches(_LevelsBranches):
    """`routing.wk.broadcast.by_stack`: levels of links plus one, the top of the stack lowest.

    The entries rise from the top on, and a copy does not come over a link whose level is among
    them. So nothing is popped for a link of the cluster, whose level is 0, the lowest.
    """

    def _is_barred(self) -> Value:
        return Cat(entry == self._level + 1 for entry in self._entries).any()

    def _label_across(self) -> Value:
        return Cat(Const(1, self._width), self.label)

    def _label_within(self, m: Module) -> Value:
        popped = Signal(len(self._entries))
        m.d.comb += popped.eq(Cat((entry != 0) & (entry <= self._level) for entry in self._entries))
        rest: Value = self.label
        for number in range(len(popped)):
            shorter = Signal(len(self.label), name=f"without_{number + 1}")
            m.d.comb += shorter.eq(
                Mux(popped[number], self.label[(number + 1) * self._width :], rest)
            )
            rest = shorter
        return Cat(Const(self._level + 1, self._width), rest)

    @property
    def _width(self) -> int:
        return stack_field(self._topology.levels)

    @property
    def _entries(self) -> list[Value]:
        """Entries from the top on; 0 for none."""
        places = range(0, len(self.label), self._width)
        return [self.label[place : place + self._width] for place in places]


BRANCH_COMPUTATIONS = {
    "label": LabelBranches,
    "address": AddressBranches,
    "mask": MaskBranches,
    "stack": StackBranches,
}
"""Gates of each broadcast that routers can be built for."""
