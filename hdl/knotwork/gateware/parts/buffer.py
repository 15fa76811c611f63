"""First-in first-out buffer of a virtual channel."""

from amaranth.hdl import Assert, Module, Mux, ShapeLike, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

REGISTER_DEPTH = 2
"""Depth up to which registers are smaller than LUT RAM (two registers and a multiplexer a bit)."""


class Buffer(wiring.Component):
    """Queue whose head is visible in the clock after it was written.

    Up to `REGISTER_DEPTH` entries it is made of registers, above of LUT RAM read asynchronously.

    Latency
    -------
    1 clock from ``i`` to ``o``; one entry a clock at any depth.

    Parameters
    ----------
    shape : shape-like
        Payload.
    depth : int
        Entries, at least 2: with one, `ready` and `valid` would take turns.

    Members
    -------
    i : In(stream.Signature(shape))
        `ready` while there is room; registered.
    o : Out(stream.Signature(shape))
        Head of the queue.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike, *, depth: int) -> None:
        if depth < REGISTER_DEPTH:
            raise ValueError(f"depth must be at least {REGISTER_DEPTH}, not {depth!r}")
        self._shape = shape
        self._depth = depth
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    @property
    def depth(self) -> int:
        """Entries."""
        return self._depth

    def elaborate(self, platform: object) -> Module:
        m = Module()
        write, read = Signal(), Signal()
        level = Signal(range(self._depth + 1))
        m.d.comb += [
            self.i.ready.eq(level != self._depth),
            self.o.valid.eq(level != 0),
            write.eq(self.i.valid & self.i.ready),
            read.eq(self.o.valid & self.o.ready),
        ]
        m.d.sync += level.eq(level + write - read)
        m.d.sync += Assert(level <= self._depth, "buffer: level must not exceed the depth")
        store = self._registers if self._depth == REGISTER_DEPTH else self._memory
        store(m, write, read, level)
        return m

    def _registers(self, m: Module, write: Signal, read: Signal, level: Signal) -> None:
        front, back = Signal(self._shape), Signal(self._shape)
        full = level == REGISTER_DEPTH
        m.d.comb += self.o.p.eq(front)
        with m.If(write):
            m.d.sync += back.eq(self.i.p)
        with m.If(read | (level == 0)):
            m.d.sync += front.eq(Mux(full, back, self.i.p))

    def _memory(self, m: Module, write: Signal, read: Signal, level: Signal) -> None:
        m.submodules.memory = memory = Memory(shape=self._shape, depth=self._depth, init=[])
        into, out_of = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            into.data.eq(self.i.p),
            into.en.eq(write),
            self.o.p.eq(out_of.data),
        ]
        for port, step in ((into, write), (out_of, read)):
            pointer = Signal(range(self._depth))
            m.d.comb += port.addr.eq(pointer)
            with m.If(step):
                m.d.sync += pointer.eq(Mux(pointer == self._depth - 1, 0, pointer + 1))
