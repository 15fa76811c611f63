"""What a sender knows of the buffer behind its link."""

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

THERMOMETER_DEPTH = 8
"""Depth up to which one flip-flop per credit is smaller than a counter."""


class CreditCount(wiring.Component):
    """Counts the free places of a buffer behind a link.

    The count follows `taken` one cycle late, so that it meets only registers; `room` is exact
    nevertheless: it is a register, made of the count and of `taken` itself.

    Latency
    -------
    1 cycle from `taken` and from `credit` to `room`.

    Parameters
    ----------
    depth : int
        Places, at least 2.
    tells_all : bool
        Whether the sender asks for an empty buffer.
    cycles_to_link : int
        Cycles from `taken` to `sent`, 1 or 2.

    Members
    -------
    taken : In(1)
        A place is taken; only with `room`.
    sent : Out(1)
        The flit is on the link.
    credit : In(1)
        A place has become free.
    room : Out(1)
        A place is free.
    all_free : Out(1)
        All places are; only with `tells_all`.
    """

    taken: Signal
    sent: Signal
    credit: Signal
    room: Signal
    all_free: Signal

    def __init__(self, *, depth: int, tells_all: bool = False, cycles_to_link: int = 1) -> None:
        self._depth, self._tells_all, self._cycles_to_link = depth, tells_all, cycles_to_link
        members = {"taken": In(1), "sent": Out(1), "credit": In(1), "room": Out(1)}
        super().__init__(members | ({"all_free": Out(1)} if tells_all else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        staged = self._cycles_to_link > 1
        taken = Signal(name="taken_before") if staged else self.sent
        some, several, every = self._counted(m, taken)
        room = Signal(init=1)
        m.d.comb += self.room.eq(room)
        m.d.sync += [
            taken.eq(self.taken),
            room.eq(several | (some & ~self.taken)),
            Assert(room | ~self.taken, "credits: a flit must not be sent without a credit"),
        ]
        if staged:
            m.d.sync += self.sent.eq(taken)
        if self._tells_all:
            all_free = Signal(init=1)
            m.d.comb += self.all_free.eq(all_free)
            m.d.sync += all_free.eq(every & ~self.taken)
        return m

    def _counted(self, m: Module, taken: Value) -> tuple[Value, Value, Value]:
        """Whether at least one, two, and all places are free, but for what is taken now.

        `taken` is that of the cycle before.
        """
        if self._depth <= THERMOMETER_DEPTH:
            free = Signal(self._depth, init=-1)
            after = Signal.like(free, name="after")
            changed = Mux(taken, Cat(free[1:], 0), Cat(1, free[:-1]))
            m.d.comb += after.eq(Mux(taken ^ self.credit, changed, free))
            m.d.sync += free.eq(after)
            return after[0], after[1], after[-1]
        free = Signal(range(self._depth + 1), init=self._depth)
        after = Signal.like(free, name="after")
        m.d.comb += after.eq(free + self.credit - taken)
        m.d.sync += free.eq(after)
        return after.any(), after[1:].any(), after == self._depth
