"""Places of the flits that wait in one input channel."""

from collections.abc import Mapping

from amaranth.hdl import Assert, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ...parts.buffer import following


class TurnQueue(wiring.Component):
    """Places of an input channel's flits in the RAMs of its port.

    Latency
    -------
    1 cycle from `arrives` to `some`.

    Parameters
    ----------
    depth : int
        Flits, at least 2.
    more : mapping, optional
        Members that a subclass adds.

    Members
    -------
    arrives : In(1)
        A flit arrives, and is written at `into`.
    leaves : In(1)
        The head leaves.
    some, more, full : Out(1)
        At least one flit, at least two, as many as there is room for.
    into, head, behind : Out(range(depth))
        Places where a flit is written, of the head, and of the flit behind it.
    """

    arrives: Signal
    leaves: Signal
    some: Signal
    more: Signal
    full: Signal
    into: Signal
    head: Signal
    behind: Signal

    def __init__(self, *, depth: int, more: Mapping[str, Member] | None = None) -> None:
        self._depth = depth
        super().__init__(
            {
                **(more or {}),
                "arrives": In(1),
                "leaves": In(1),
                "some": Out(1),
                "more": Out(1),
                "full": Out(1),
                "into": Out(range(depth)),
                "head": Out(range(depth)),
                "behind": Out(range(depth)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        into_after, third = (Signal.like(self.head, name=name) for name in ("into_after", "third"))
        m.d.comb += [
            into_after.eq(following(self.into, self._depth)),
            self.behind.eq(following(self.head, self._depth)),
            third.eq(following(self.behind, self._depth)),
        ]
        with m.If(self.arrives):
            m.d.sync += self.into.eq(into_after)
        with m.If(self.leaves):
            m.d.sync += self.head.eq(self.behind)
        # `leaves` arrives late in a cycle: it meets flags, not the pointers' comparison.
        left, stays = Signal(name="more_if_left"), Signal(name="more_if_not")
        m.d.comb += [
            left.eq(self.more & (self.arrives | (third != self.into))),
            stays.eq(self.more | (self.some & self.arrives)),
        ]
        fills = self.arrives & (into_after == self.head)
        m.d.sync += [
            self.some.eq(self.arrives | (self.some & ~(self.leaves & ~self.more))),
            self.more.eq((left & self.leaves) | (stays & ~self.leaves)),
            self.full.eq(~self.leaves & (self.full | fills)),
            Assert(~(self.arrives & self.full), "queue: a flit must not arrive without a place"),
            Assert(self.some | ~self.leaves, "queue: only a flit that is there can leave"),
        ]
        return m
