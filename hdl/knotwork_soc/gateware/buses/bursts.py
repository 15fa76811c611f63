"""Bursts of AXI4 as single beats, for bridges to buses that have no bursts."""

from amaranth.hdl import Array, Assert, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...parameters import BusParameters
from .bus_kinds import Burst, address_layout, write_data_layout


class BurstStage(Component):
    """Takes a burst and keeps it while its beats are made.

    Data of a read may come only after its address was taken (IHI 0022, A3.3.1), and an `Unroller`
    takes a burst with its last beat.

    Latency
    -------
    1 cycle; one burst per cycle.

    Parameters
    ----------
    bus : BusParameters
        Widths.

    Members
    -------
    i, o : In, Out(stream of address_layout)
        Bursts.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, bus: BusParameters) -> None:
        shape = address_layout(bus)
        self._shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.full = full = Signal(name="full")
        kept: View = Signal(self._shape, name="kept")
        self.kept = kept
        m.d.comb += [
            self.i.ready.eq(~full | self.o.ready),
            self.o.valid.eq(full),
            self.o.p.eq(kept),
        ]
        with m.If(self.i.ready):
            m.d.sync += [full.eq(self.i.valid), kept.eq(self.i.p)]
        return m


PAGE_BITS = 12
"""Bits of an address that change within a burst: none crosses 4 KiB (IHI 0022, A3.4.1)."""
WRAP_BITS = 4
"""Bits of a wrapping burst's length: it has at most 16 beats (A3.4.1)."""

PENDING = 16
"""Beats that may wait for their answers by default: what one LUT RAM holds."""


def beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a burst: whose, where, the bytes of the bus's data that it has, and the burst's last.

    `address` is the beat's own, ``Address_N`` of the standard; `word` is that of the whole word of
    data, which starts at a multiple of its bytes.
    """
    return data.StructLayout(
        {
            "id": bus.id_width,
            "address": bus.address_width,
            "word": bus.address_width,
            "lanes": bus.data_bytes,
            "prot": 3,
            "last": 1,
        }
    )


class Unroller(Component):
    """Gives a burst's beats one by one: fixed, incrementing and wrapping, narrow and unaligned.

    A burst is taken with its last beat: A3.3.1 lets a subordinate wait for a write's data, but not
    read before it took the address, so a `BurstStage` stands before reads. All that a beat has of
    its burst therefore comes from the input, and only the changing part of the address and the
    beat's number are registers.

    Latency
    -------
    0 cycles; one beat per cycle, from burst to burst too.

    Parameters
    ----------
    bus : BusParameters
        Widths; bursts have at most `bus.burst` beats.

    Members
    -------
    i : In(stream of address_layout)
        Bursts.
    o : Out(stream of beat_layout)
        Their beats.

    References
    ----------
    IHI 0022, A3.4.1 (address structure) and A3.4.3 (narrow and unaligned transfers).
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, *, bus: BusParameters) -> None:
        self._bus = bus
        super().__init__(
            {
                "i": In(stream.Signature(address_layout(bus))),
                "o": Out(stream.Signature(beat_layout(bus))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        burst, beat = self.i.p, self.o.p
        word_bits = (self._bus.data_bytes - 1).bit_length()
        size = burst.size[: word_bits.bit_length()]
        number = Signal((self._bus.burst - 1).bit_length(), name="number")
        # Whether `number` is not 0, which would be on the longest path.
        begun = Signal(name="begun")
        kept = Signal(PAGE_BITS)
        self.number, self.begun = number, begun
        here = Signal(PAGE_BITS)
        after = Signal(PAGE_BITS)
        low = Signal(word_bits)
        wraps = Signal(PAGE_BITS)
        stays = Signal(PAGE_BITS)
        m.d.comb += [
            here.eq(Mux(begun, kept, burst.address[:PAGE_BITS])),
            # Bits of an address below a beat's size, and those that a next address keeps.
            low.eq(Array((1 << bits) - 1 for bits in range(word_bits + 1))[size]),
            after.eq((here | low) + 1),
            wraps.eq(burst.length[:WRAP_BITS] << size | low),
        ]
        with m.Switch(burst.burst):
            with m.Case(Burst.FIXED):
                m.d.comb += stays.eq(~0)
            with m.Case(Burst.WRAP):
                m.d.comb += stays.eq(~wraps)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready & beat.last),
            beat.id.eq(burst.id),
            beat.prot.eq(burst.prot),
            beat.address.eq(Cat(here, burst.address[PAGE_BITS:])),
            beat.word.eq(Cat(Const(0, word_bits), beat.address[word_bits:])),
            beat.last.eq(number == burst.length),
        ]
        first, final = here[:word_bits], here[:word_bits] | low
        for lane in range(self._bus.data_bytes):
            m.d.comb += beat.lanes[lane].eq((first <= lane) & (lane <= final))
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [
                number.eq(Mux(beat.last, 0, number + 1)),
                begun.eq(~beat.last),
                kept.eq((here & stays) | (after & ~stays)),
            ]
        m.d.sync += Assert(
            ~self.i.valid | (number <= burst.length),
            "unroller: a burst must not have more beats than its length says",
        )
        return m


def request_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read or of a write: `word` is the byte address of a whole word of data.

    `lanes` are the bytes that a read reads, or that a write writes. `data` is a write's, and 0 in a
    read.
    """
    return data.StructLayout(
        {
            "write": 1,
            "id": bus.id_width,
            "word": bus.address_width,
            "lanes": bus.data_bytes,
            "data": bus.data_width,
            "prot": 3,
            "last": 1,
        }
    )


class BeatMerger(Component):
    """Unrolls bursts of reads and of writes, and takes turns between them beat by beat.

    A burst does not hold the bus: between a write's beats, reads go on while its data is late.
    AXI4 lets a manager wait for data of a read before it gives data of a write, as one that copies
    does.

    Latency
    -------
    0 cycles for a write, 1 for a read; one beat per cycle.

    Parameters
    ----------
    bus : BusParameters
        Widths.

    Members
    -------
    aw, w, ar : In(stream)
        Channels of AXI4.
    may_read, may_write : In(1)
        There is room for the answer to such a beat. They do not fall until it is taken.
    o : Out(stream of request_layout)
        Beats.
    """

    aw: stream.Interface
    w: stream.Interface
    ar: stream.Interface
    may_read: Signal
    may_write: Signal
    o: stream.Interface

    def __init__(self, *, bus: BusParameters) -> None:
        self._bus = bus
        super().__init__(
            {
                "aw": In(stream.Signature(address_layout(bus))),
                "w": In(stream.Signature(write_data_layout(bus))),
                "ar": In(stream.Signature(address_layout(bus))),
                "may_read": In(1),
                "may_write": In(1),
                "o": Out(stream.Signature(request_layout(bus))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.writes = self.writes = writes = Unroller(bus=self._bus)
        m.submodules.reads = self.reads = reads = Unroller(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.aw), writes.i)
        m.submodules.read_stage = self.read_stage = stage = BurstStage(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.ar), stage.i)
        wiring.connect(m, stage.o, reads.i)
        asks_read = Signal()
        asks_write = Signal()
        writing = Signal()
        wrote = Signal(name="wrote")
        held = Signal(name="held")
        self.wrote, self.held = wrote, held
        request = self.o.p
        m.d.comb += [
            asks_read.eq(reads.o.valid & self.may_read),
            asks_write.eq(writes.o.valid & self.w.valid & self.may_write),
            # A beat that is offered stays; otherwise the other kind has its turn.
            writing.eq(Mux(held, wrote, asks_write & ~(asks_read & wrote))),
            self.o.valid.eq(asks_read | asks_write),
            request.write.eq(writing),
            # Data that comes while a read is offered must not show.
            request.data.eq(Mux(writing, self.w.p.data, 0)),
            reads.o.ready.eq(self.o.ready & asks_read & ~writing),
            writes.o.ready.eq(self.o.ready & asks_write & writing),
            self.w.ready.eq(self.o.ready & asks_write & writing),
        ]
        for field in ("id", "word", "prot", "last"):
            m.d.comb += request[field].eq(Mux(writing, writes.o.p[field], reads.o.p[field]))
        m.d.comb += request.lanes.eq(Mux(writing, self.w.p.strobe, reads.o.p.lanes))
        m.d.sync += held.eq(self.o.valid & ~self.o.ready)
        with m.If(self.o.valid):
            m.d.sync += wrote.eq(writing)
        return m
