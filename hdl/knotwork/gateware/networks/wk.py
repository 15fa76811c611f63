"""Gates of the WK-recursive networks."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ...network import Network
from ...routing.wk.broadcast import RuleNumbers
from ...topology import LOCAL, WkRecursive
from ..parts.route import RouteComputation
from .wk_broadcast import BRANCH_COMPUTATIONS


def _topology(network: Network) -> WkRecursive:
    return WkRecursive.of(network.topology)


class DigitRoute(RouteComputation):
    """Next digit of a path: `self_routed` or `shortest` of `routing.wk.unicast` in gates.

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
