"""Gates of the WK-recursive networks: next digits of paths, and branches of broadcasts."""

from collections.abc import Hashable, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ...network import Network
from ...routing.wk import RuleNumbers, stack_field
from ...topology import LOCAL, WkRecursive
from ..parts.route import BranchComputation, RouteComputation

ALWAYS, NEVER = Const(1, 1), Const(0, 1)


def _topology(network: Network) -> WkRecursive:
    return WkRecursive.of(network.topology)


class DigitRoute(RouteComputation):
    """Next digit of a path: `self_routed` or `shortest` of `routing.wk` in gates.

    A flit from a router of the same cluster was sent towards this router's digit: it has arrived,
    or leaves over the router's own link. A flit that came over the own link climbs further by the
    flip until it has crossed its top level. After that, only places below the flip's can still
    differ, or places above it if the flit only passes through.

    Digit 0 is place 1. The router's digits up to its corner level are constants.
    """

    passes: bool
    """Whether paths may go through a third subnetwork."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        port = self.turns[0].input_port
        if port == LOCAL:
            ways = self._from_node(m)
        elif port == 1 + self._own:
            ways = self._from_outside(m)
        else:
            ways = self._from_sibling(m)
        for number, turn in enumerate(self.turns):
            out_class = 0 if turn.output_port == LOCAL else turn.output_vc % self._classes
            m.d.comb += self.select[number].eq(ways[turn.output_port, out_class])
        return m

    @property
    def _own(self) -> int:
        return int(_topology(self.network).digits[self.router, 0])

    @property
    def _level(self) -> int:
        return int(_topology(self.network).corner_levels[self.router])

    @property
    def _classes(self) -> int:
        return self.network.routing.classes

    @property
    def _last_class(self) -> int:
        return RuleNumbers(*self.network.routing.parameters.tolist()).last_unicast_class

    @property
    def _input_class(self) -> int:
        return self.turns[0].input_vc % self._classes

    def _digits(self, address: Value) -> list[Value]:
        width = _topology(self.network).digit_bits
        return [address[place : place + width] for place in range(0, len(address), width)]

    def _here(self) -> list[Value]:
        """Digits of the router; after those that are constants there is the flip."""
        width = _topology(self.network).digit_bits
        own: list[Value] = [Const(self._own, width)] * self._level
        return own + self._digits(self.address)[self._level :]

    def _differences(self, m: Module) -> Signal:
        """Places in which router and destination differ."""
        places = zip(self._here(), self._digits(self.destination), strict=True)
        differs = Signal(_topology(self.network).levels)
        m.d.comb += differs.eq(Cat(here != there for here, there in places))
        return differs

    def _links(self, towards: Value) -> dict[tuple[int, int], Value]:
        """Ways by inner links, in the class of the input, where this is the digit to go to."""
        siblings = (h for h in range(_topology(self.network).w) if h != self._own)
        return {(1 + h, self._input_class): towards == h for h in siblings}

    def _out(self, leaves: Value, crosses: Value) -> dict[tuple[int, int], Value]:
        """Ways by the own link; `crosses` if it leads out of the lowest subnetwork of both ends."""
        here, after = self._input_class, min(self._input_class + 1, self._last_class)
        if here == after:
            return {(1 + self._own, here): leaves}
        return {(1 + self._own, here): leaves & ~crosses, (1 + self._own, after): leaves & crosses}

    def _from_sibling(self, m: Module) -> dict[tuple[int, int], Value]:
        differs = self._differences(m)[self._level :]
        leaves = Signal()
        m.d.comb += leaves.eq(differs.any())
        return self._out(leaves, ~differs[1:].any()) | {(LOCAL, 0): ~leaves}

    def _from_outside(self, m: Module) -> dict[tuple[int, int], Value]:
        flip = self._here()[self._level]
        if self._input_class < min(1, self._last_class):
            return self._links(flip)
        differs = self._differences(m)
        towards = Signal.like(flip, init=self._own)
        top = self._level
        if self.passes and top >= 2 and self._input_class == min(1, self._last_class):
            top += 1  # it may have come into a third subnetwork
        self._choose(m, towards, differs[:top], self._digits(self.destination))
        with m.If(differs[self._level + 1 :].any()):
            m.d.comb += towards.eq(flip)
        return self._links(towards) | {(LOCAL, 0): towards == self._own}

    def _from_node(self, m: Module) -> dict[tuple[int, int], Value]:
        topology = _topology(self.network)
        differs, destination = self._differences(m), self._digits(self.destination)
        towards = Signal(topology.digit_bits, init=self._own)
        self._choose(m, towards, differs, destination)
        if self.passes and topology.w > 2 and topology.levels > 2:
            towards = self._passing(m, towards, differs)
        leaves = (towards == self._own) & differs[self._level :].any()
        ways = self._out(leaves, ~differs[self._level + 1 :].any())
        return self._links(towards) | ways | {(LOCAL, 0): ~differs.any()}

    @staticmethod
    def _choose(m: Module, chosen: Signal, differs: Value, digits: Sequence[Value]) -> None:
        """Take the digit of the highest place that differs."""
        for place in range(len(differs)):
            with m.If(differs[place]):
                m.d.comb += chosen.eq(digits[place])

    def _passing(self, m: Module, direct: Signal, differs: Signal) -> Signal:
        """Digit of a third subnetwork where the path through it is shorter, else `direct`."""
        here, there = self._here(), self._digits(self.destination)
        # highest place that differs; all below
        top = Signal(len(here), name="top")
        below = Signal(len(here), name="below")
        origin, towards = Signal.like(direct, name="origin"), Signal.like(direct, name="towards")
        self._choose(m, origin, differs, here)
        m.d.comb += [
            below.eq(Cat(differs[place:].any() for place in range(1, len(here)))),
            top.eq(differs & ~below),
            towards.eq(direct),
        ]

        def weight(digits: Sequence[Value], digit: Value) -> Value:
            return Cat(each == digit for each in digits) & below

        saved = Signal(len(here) + 1)
        m.d.comb += saved.eq((top | weight(here, direct)) + weight(there, origin))
        for number, digits in enumerate((here, there)):
            third = Signal.like(direct, name=f"third_{number}")
            self._choose(m, third, differs[1:], digits)
            with m.If(weight(here, third) + weight(there, third) > saved):
                m.d.comb += towards.eq(third)
        return towards


class UnicastRoute(DigitRoute):
    """Self-routing."""

    passes = False


class ShortestRoute(DigitRoute):
    """Shortest paths.

    A path turns to a third subnetwork only at its source: the rest of the way is like any other.
    """

    passes = True


ROUTE_COMPUTATIONS = {"unicast": UnicastRoute, "shortest": ShortestRoute}

ESCAPE_COMPUTATIONS: dict = {}

__all__ = ["BRANCH_COMPUTATIONS", "ESCAPE_COMPUTATIONS", "ROUTE_COMPUTATIONS"]


class _Branches(BranchComputation):
    """Copies from own port and node to the whole cluster, and from the cluster to the own port.

    A subclass says when a copy from the cluster leaves it, and the labels. A module has one own
    digit and one corner level, so both are constants here. A virtual-channel class below the last
    is the highest level m that the copy has crossed; with one class per level, so is the last.
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
    """`routing.wk.by_label`: t, and above it m where a class can stand for several."""

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
    """`routing.wk.by_address`: m is below the highest digit that is not the source's."""

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
    """`routing.wk.by_mask`: bit i - 1 for level i."""

    def _is_barred(self) -> Value:
        return self.label[self._level - 1]

    def _label_across(self) -> Value:
        return self.label

    def _label_within(self, m: Module) -> Value:
        del m
        return Cat(Const(0, self._level - 1), ALWAYS, self.label[self._level :])


class StackBranches(_LevelsBranches):
    """`routing.wk.by_stack`: levels of links plus one, the top of the stack lowest.

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
