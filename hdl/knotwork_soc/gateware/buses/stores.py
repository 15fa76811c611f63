"""Stores of beats, in registers or block memories, that hold whole bursts."""

from amaranth.hdl import Module, Shape, ShapeLike, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

DISTRIBUTED = 64
"""Entries up to which look-up tables are the memory; above, block RAM."""
SMALLEST = 16
"""Entries of the smallest store: fewer would cost as much."""


class Store(Component):
    """Queue in distributed RAM if it is small, in block RAM if it is large.

    Latency
    -------
    1 cycle from `i` to `o`, 2 above `DISTRIBUTED` entries; one entry per cycle.

    Parameters
    ----------
    shape : shape-like
        Payload.
    depth : int
        Entries, at least.

    Members
    -------
    i : In(stream.Signature(shape))
        `ready` while there is room; registered.
    o : Out(stream.Signature(shape))
        Head of the queue.
    level : Out(range)
        Entries in the queue.
    """

    i: stream.Interface
    o: stream.Interface
    level: Signal

    def __init__(self, shape: ShapeLike, *, depth: int) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, not {depth!r}")
        self._width = Shape.cast(shape).width
        # One word of a block RAM is never used, and one entry is in its output register.
        self._is_block = depth > DISTRIBUTED
        entries = 1 << (depth - 1).bit_length() if self._is_block else depth
        self._entries = entries
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(entries + 1)),
            }
        )

    @property
    def depth(self) -> int:
        """Entries that it has room for."""
        return self._entries

    def elaborate(self, platform: object) -> Module:
        m = Module()
        (self._block if self._is_block else self._distributed)(m)
        return m

    def _distributed(self, m: Module) -> None:
        m.submodules.queue = self.queue = queue = SyncFIFO(width=self._width, depth=self._entries)
        m.d.comb += [
            queue.w_data.eq(self.i.p),
            queue.w_en.eq(self.i.valid),
            self.i.ready.eq(queue.w_rdy),
            self.o.p.eq(queue.r_data),
            self.o.valid.eq(queue.r_rdy),
            queue.r_en.eq(self.o.ready),
            self.level.eq(queue.r_level),
        ]

    def _block(self, m: Module) -> None:
        """Queue in block RAM, never written where it is read, as its pointers show to tools.

        If its level said whether it is empty, synthesis would add registers for a word
        that is written and read in one cycle.
        """
        m.submodules.memory = memory = Memory(shape=self._width, depth=self._entries, init=[])
        into, out_of = memory.write_port(), memory.read_port()
        produce = Signal(range(self._entries), name="produce")
        consume = Signal(range(self._entries), name="consume")
        after, valid = Signal.like(produce, name="after"), Signal(name="valid")
        taken = Signal(name="taken")
        self.produce, self.consume, self.valid = produce, consume, valid
        self.read_word = out_of.data
        m.d.comb += [
            after.eq(produce + 1),
            self.i.ready.eq(after != consume),
            into.addr.eq(produce),
            into.data.eq(self.i.p),
            into.en.eq(self.i.valid & self.i.ready),
            out_of.addr.eq(consume),
            out_of.en.eq((produce != consume) & (~valid | self.o.ready)),
            self.o.p.eq(out_of.data),
            self.o.valid.eq(valid),
            taken.eq(valid & self.o.ready),
        ]
        with m.If(into.en):
            m.d.sync += produce.eq(after)
        with m.If(out_of.en):
            m.d.sync += consume.eq(consume + 1)
        m.d.sync += [
            valid.eq(out_of.en | (valid & ~self.o.ready)),
            self.level.eq(self.level + into.en - taken),
        ]


class Stage(Component):
    """Register of a stream, which keeps what it offers whatever its producer does.

    Latency
    -------
    1 cycle; one element per cycle.

    Parameters
    ----------
    shape : shape-like
        Payload.

    Members
    -------
    i : In(stream.Signature(shape))
        `ready` while the register is free or its element is taken.
    o : Out(stream.Signature(shape))
        The register.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike) -> None:
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.i.ready.eq(~self.o.valid | self.o.ready)
        with m.If(self.i.ready):
            m.d.sync += [self.o.valid.eq(self.i.valid), self.o.p.eq(self.i.p)]
        return m


class BurstStore(Component):
    """Store of beats that hands out a burst once its last beat is there.

    Latency
    -------
    As of `Store` for the beats; `whole` comes 1 cycle after a last beat.

    Parameters
    ----------
    layout : StructLayout
        Beats; `last` marks the last of a burst.
    depth : int
        Entries, at least.

    Members
    -------
    i, o : In, Out(stream of layout)
        Beats.
    whole : Out(1)
        All beats of the next burst are there.
    leaves : In(1)
        The last beat of a burst leaves `o`.
    """

    i: stream.Interface
    o: stream.Interface
    complete: Signal
    leaves: Signal

    def __init__(self, layout: data.StructLayout, *, depth: int) -> None:
        self._layout, self._depth = layout, depth
        super().__init__(
            {
                "i": In(stream.Signature(layout)),
                "o": Out(stream.Signature(layout)),
                "complete": Out(1),
                "leaves": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = self.store = store = Store(self._layout, depth=self._depth)
        wiring.connect(m, wiring.flipped(self.i), store.i)
        wiring.connect(m, store.o, wiring.flipped(self.o))
        bursts, comes = Signal(range(store.depth + 1), name="bursts"), Signal(name="comes")
        self.bursts = bursts
        m.d.comb += [
            comes.eq(self.i.valid & self.i.ready & self.i.p.last),
            self.complete.eq(bursts != 0),
        ]
        m.d.sync += bursts.eq(bursts + comes - self.leaves)
        return m
