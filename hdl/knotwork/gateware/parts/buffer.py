"""Buffers: flits first-in first-out, with their pointers and RAMs; and one element of a stream."""

from collections.abc import Hashable
from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Module, Mux, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...untyped import View
from ..component import Component, explain

REGISTER_DEPTH = 2
"""Depth up to which registers (two and a multiplexer per bit) are smaller than LUT RAM."""

TAPS = {
    2: (1, 0),
    3: (2, 1),
    4: (3, 2),
    5: (4, 2),
    6: (5, 4),
    7: (6, 5),
    8: (7, 5, 4, 3),
    9: (8, 4),
    10: (9, 6),
}
"""Taps of a maximum-length shift register, by its length."""


SHIFTED = "A pointer is a shift register through all places (de Bruijn): one LUT, not one per bit."
"""What `following` is where it is no counter."""


def shifts(count: int) -> bool:
    """Whether `following` shifts: through a power of two of places."""
    bits = (count - 1).bit_length()
    return count == 1 << bits and bits in TAPS


def following(pointer: Value, count: int) -> Value:
    """Number after a pointer's, in some fixed order through all of 0..count - 1.

    For powers of two the pointer is a shift register, which takes one LUT where a counter takes one
    per bit: a maximum-length sequence with 0 put in beside 1 0...0 (a de Bruijn sequence).
    """
    bits = len(pointer)
    if not shifts(count):
        return Mux(pointer == count - 1, 0, pointer + 1)
    # Any order of the places will do, so the pointer shifts: only its new bit takes a LUT. The last
    # term puts the state 0, which such a sequence lacks, after 1 0...0.
    taken = Cat(pointer[place] for place in TAPS[bits]).xor() ^ ~pointer[:-1].any()
    return Cat(taken, pointer[:-1])


class Buffer(Component):
    """Queue whose head is visible in the cycle after it was written.

    It is made of registers up to `REGISTER_DEPTH` entries, and above that of LUT RAM that is read
    asynchronously.

    Latency
    -------
    1 cycle from ``i`` to ``o``; one entry per cycle at any depth.

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
    def parameters(self) -> Hashable:
        return Shape.cast(self._shape).width, self._depth

    @property
    def variant(self) -> str:
        return f"{Shape.cast(self._shape).width}x{self._depth}"

    @property
    def depth(self) -> int:
        """Entries."""
        return self._depth

    def elaborate(self, platform: object) -> Module:
        m = Module()
        write, read = Signal(name="write"), Signal(name="read")
        m.d.comb += [
            write.eq(self.i.valid & self.i.ready),
            read.eq(self.o.valid & self.o.ready),
        ]
        store = self._registers if self._depth == REGISTER_DEPTH else self._memory
        store(m, write, read)
        return m

    def _registers(self, m: Module, write: Signal, read: Signal) -> None:
        front, back = Signal(self._shape, name="front"), Signal(self._shape, name="back")
        occupied, full = Signal(name="occupied"), Signal(name="full")
        self.full, self.back = full, back
        m.d.comb += [self.i.ready.eq(~full), self.o.valid.eq(occupied), self.o.p.eq(front)]
        m.d.sync += full.eq(~read & (full | (occupied & write)))
        m.d.sync += Assert(occupied | ~full, "buffer: the back must not be used before the front")
        with m.If(~full):
            m.d.sync += back.eq(self.i.p)
        with m.If(read | ~occupied):
            m.d.sync += [front.eq(Mux(full, back, self.i.p)), occupied.eq(full | write)]

    def _memory(self, m: Module, write: Signal, read: Signal) -> None:
        m.submodules.memory = memory = Memory(shape=self._shape, depth=self._depth, init=[])
        into, out_of = memory.write_port(), memory.read_port(domain="comb")
        self.stored, self.pointers = out_of.data, []
        after = {}
        for port, step, name in ((into, write, "write"), (out_of, read, "read")):
            pointer = Signal(range(self._depth), name=f"{name}_pointer")
            self.pointers.append(pointer)
            after[port] = Signal.like(pointer, name=f"{name}_pointer_after")
            m.d.comb += [port.addr.eq(pointer), after[port].eq(following(pointer, self._depth))]
            if shifts(self._depth) and port is into:
                explain(after[port], SHIFTED)
            with m.If(step):
                m.d.sync += pointer.eq(after[port])
        # The handshakes arrive late in a cycle: they meet flags, not the pointers' comparison.
        occupied, full = Signal(name="occupied"), Signal(name="full")
        self.full = full
        m.d.comb += [
            self.i.ready.eq(~full),
            self.o.valid.eq(occupied),
            self.o.p.eq(out_of.data),
            into.data.eq(self.i.p),
            into.en.eq(write),
        ]
        m.d.sync += [
            occupied.eq(write | (occupied & ~(read & (after[out_of] == into.addr)))),
            full.eq(~read & (full | (write & (after[into] == out_of.addr)))),
            Assert(
                (into.addr == out_of.addr) == (full | ~occupied),
                "buffer: the pointers must meet when it is full or empty, and only then",
            ),
        ]


class Write(NamedTuple):
    """Write port that several RAMs have in common.

    Latency
    -------
    1 cycle from `arrives` until a value is found; 0 from a place to what is found there.

    Members
    -------
    m : Module
        Module that they become part of.
    arrives : Value
        A value arrives in each of them.
    into : Value
        Place where it is stored: the RAMs hold as many values as it has places.
    """

    m: Module
    arrives: Value
    into: Value

    def ram(self, name: str, value: Value, found: Value) -> Value:
        """RAM of a value that arrives; gives what is found at a place."""
        ram = Memory(shape=len(value), depth=1 << len(self.into), init=[])
        self.m.submodules[name] = ram
        write, read = ram.write_port(), ram.read_port(domain="comb")
        self.m.d.comb += [
            write.en.eq(self.arrives),
            write.data.eq(value),
            write.addr.eq(self.into),
            read.addr.eq(found),
        ]
        return read.data


class SkidBuffer(Component):
    """Passes a stream through, and holds one element that its consumer did not take.

    It cuts the path of `ready`: the producer sees a registered one, and while the buffer is empty
    an offer is taken in the same cycle.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    shape : shape-like
        Payload.

    Members
    -------
    i : In(stream.Signature(shape))
        `ready` while no element is held.
    o : Out(stream.Signature(shape))
        The element held, or `i` itself.
    full : Out(1)
        An element is held.
    kept : Out(shape)
        That element, while `full`, without the combinational path from `i`.
    """

    i: stream.Interface
    o: stream.Interface
    full: Signal
    kept: View

    def __init__(self, shape: ShapeLike) -> None:
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "full": Out(1),
                "kept": Out(shape),
            }
        )

    @property
    def parameters(self) -> Hashable:
        return len(Value.cast(self.kept))

    @property
    def variant(self) -> str:
        return f"{len(Value.cast(self.kept))}bit"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.i.ready.eq(~self.full),
            self.o.valid.eq(self.full | self.i.valid),
            self.o.p.eq(Mux(self.full, self.kept, self.i.p)),
        ]
        m.d.sync += self.full.eq(self.o.valid & ~self.o.ready)
        # While it holds an element, `o` is that element. Without a clock enable, which would have
        # to be routed to every bit, the LUT before each register is that of the multiplexer.
        m.d.sync += self.kept.eq(self.o.p)
        return m
