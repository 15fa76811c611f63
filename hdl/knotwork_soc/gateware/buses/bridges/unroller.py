"""Bursts of AXI4 as single beats, each with its address."""

from amaranth.hdl import Array, Assert, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from ....bus import BusParameters
from ..axi4 import Burst, address_layout

PAGE_BITS = 12
"""Bits of an address that change within a burst: none crosses 4 KiB (IHI 0022, A3.4.1)."""
WRAP_BITS = 4
"""Bits of a wrapping burst's length: it has at most 16 beats (A3.4.1)."""

PENDING = 16
"""Beats that may wait for their answers unless told otherwise: what one LUT RAM holds."""


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
        number = Signal((self._bus.burst - 1).bit_length())
        begun = Signal()  # whether `number` is not 0, which would be on the longest path
        kept = Signal(PAGE_BITS)
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
