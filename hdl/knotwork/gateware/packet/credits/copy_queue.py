"""Places of the flits that wait in one input channel whose packets are copied."""

from amaranth.hdl import Assert, Module, Mux, Signal
from amaranth.lib.wiring import In, Member, Out

from ...parts.buffer import following
from .turn_queue import TurnQueue


class CopyQueue(TurnQueue):
    """Places of an input channel's flits whose packets may leave several times, once per copy.

    A copy reads the packet from its first flit to its last; the last copy frees the flits. In a
    channel from a node, a broadcast can be read once it is complete, and may be dropped before.

    Latency
    -------
    1 cycle from `arrives` to `some`.

    Parameters
    ----------
    depth : int
        As of `TurnQueue`.
    from_node : bool
        The channel comes from a node.

    Members
    -------
    arrives, leaves, some, more, full, into, head, behind
        As of `TurnQueue`; `some` and `more` count the flits that the copy has not read.
    again : In(1)
        Another copy of the packet whose flit is shown follows this one.
    last : In(1)
        The flit shown is its packet's last.
    seen : Out(1)
        A flit can be read in the next cycle: the one that arrives, or the packet that it completes.
    several : Out(1)
        It completes a packet of several flits.
    partly : In(1)
        The flit that arrives cannot be read before the last of its packet; only from a node.
    cancel : In(1)
        Drop the flits that cannot be read; only from a node, and not with `arrives`.
    """

    again: Signal
    last: Signal
    seen: Signal
    several: Signal
    partly: Signal
    cancel: Signal

    def __init__(self, *, depth: int, from_node: bool) -> None:
        self._from_node = from_node
        more: dict[str, Member] = {"again": In(1), "last": In(1), "seen": Out(1), "several": Out(1)}
        if from_node:
            more |= {"partly": In(1), "cancel": In(1)}
        super().__init__(depth=depth, more=more)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._depth
        into_after, third, base = (
            Signal.like(self.head, name=name) for name in ("into_after", "third", "base")
        )
        end = self._end(m, into_after)
        free = Signal(name="free")
        m.d.comb += [
            into_after.eq(following(self.into, depth)),
            self.behind.eq(following(self.head, depth)),
            third.eq(following(self.behind, depth)),
            free.eq(self.leaves & ~self.again),
        ]
        rewinds = Signal(name="rewinds")
        m.d.comb += rewinds.eq(self.again & self.last)
        with m.If(self.leaves):
            m.d.sync += self.head.eq(Mux(rewinds, base, self.behind))
        with m.If(free):
            m.d.sync += base.eq(self.behind)
        # A packet of one flit is not read again: all its copies leave before it does.
        left, stays = Signal(name="more_if_left"), Signal(name="more_if_not")
        fills = self.arrives & (into_after == base)
        m.d.comb += [
            left.eq(
                rewinds | (self.more & (self.seen | (third != end))) | (self.seen & self.several)
            ),
            stays.eq(self.more | (self.seen & (self.some | self.several))),
        ]
        m.d.sync += [
            self.some.eq(self.seen | (self.some & ~(self.leaves & ~self.more & ~rewinds))),
            self.more.eq((left & self.leaves) | (stays & ~self.leaves)),
            self.full.eq(~free & (self.full | fills)),
            Assert(~(self.arrives & self.full), "queue: a flit must not arrive without a place"),
            Assert(self.some | ~self.leaves, "queue: only a flit that is there can leave"),
        ]
        if self._from_node:
            with m.If(self.cancel):
                m.d.sync += self.full.eq(0)
        return m

    def _end(self, m: Module, into_after: Signal) -> Signal:
        """Place behind the last flit that can be read."""
        with m.If(self.arrives):
            m.d.sync += self.into.eq(into_after)
        if not self._from_node:
            m.d.comb += self.seen.eq(self.arrives)
            return self.into
        end = Signal.like(self.into, name="committed")
        m.d.comb += [
            self.seen.eq(self.arrives & ~self.partly),
            self.several.eq(self.into != end),
        ]
        with m.If(self.seen):
            m.d.sync += end.eq(into_after)
        with m.If(self.cancel):
            m.d.sync += self.into.eq(end)
        return end
