"""Turns of the flits that wait in one input channel."""

from collections.abc import Mapping

from amaranth.hdl import Assert, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member, Out

from ...parts.buffer import following


class TurnQueue(wiring.Component):
    """Queue of the turns of an input channel's flits, which lie in the RAM of its port.

    A flit that is at the port's front stays in the queue until it leaves: then `entry` is the one
    behind it.

    Latency
    -------
    1 cycle from `arrives` to `entry`.

    Parameters
    ----------
    width : int
        Bits of an entry.
    depth : int
        Entries, at least 2.
    more : mapping, optional
        Members that a subclass adds.

    Members
    -------
    arrives : In(1)
        A flit arrives: its entry is `i`.
    i : In(width)
        Its turn, and whether it is its packet's last.
    shown : In(1)
        The channel's head is at the port's front.
    leaves : In(1)
        It leaves; only with `shown`.
    entry : Out(width)
        The head, or while it is shown the entry behind it.
    some, more, full : Out(1)
        At least one flit, at least two, as many as there is room for.
    into, head : Out(range(depth))
        Places in the port's RAM where a flit is written, and of the head.
    """

    arrives: Signal
    i: Signal
    shown: Signal
    leaves: Signal
    entry: Signal
    some: Signal
    more: Signal
    full: Signal
    into: Signal
    head: Signal

    def __init__(self, *, width: int, depth: int, more: Mapping[str, Member] | None = None) -> None:
        self._width = width
        self._depth = depth
        super().__init__(
            {
                **(more or {}),
                "arrives": In(1),
                "i": In(width),
                "shown": In(1),
                "leaves": In(1),
                "entry": Out(width),
                "some": Out(1),
                "more": Out(1),
                "full": Out(1),
                "into": Out(range(depth)),
                "head": Out(range(depth)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(shape=self._width, depth=self._depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        into_after, second, third = (
            Signal.like(self.head, name=name) for name in ("into_after", "second", "third")
        )
        m.d.comb += [
            write.addr.eq(self.into),
            write.data.eq(self.i),
            write.en.eq(self.arrives),
            into_after.eq(following(self.into, self._depth)),
            second.eq(following(self.head, self._depth)),
            third.eq(following(second, self._depth)),
            read.addr.eq(Mux(self.shown, second, self.head)),
            self.entry.eq(read.data),
        ]
        with m.If(self.arrives):
            m.d.sync += self.into.eq(into_after)
        with m.If(self.leaves):
            m.d.sync += self.head.eq(second)
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
