"""Limit of how much a stream carries: a token bucket."""

from fractions import Fraction

from amaranth.hdl import Assert, Module, Mux, ShapeLike, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import Component


class Regulator(Component):
    """Passes a stream of packets on, at most ``burst + rate * t`` beats in any t cycles.

    A bucket holds up to `burst` tokens, full at first; `rate` of a token comes in each cycle, and a
    beat takes one. A packet starts when the bucket is full, so one of up to `burst` beats is not
    interrupted; each later beat waits for a token.

    Latency
    -------
    0 cycles for a beat that need not wait.

    Parameters
    ----------
    shape : shape-like
        Payload; it has a field `last`, which marks the last beat of a packet.
    rate : Fraction
        Beats per cycle, above 0 and below 1.
    burst : int
        Tokens that the bucket holds, at least 1.

    Members
    -------
    i, o : stream of shape
        Beats; the path of `valid` and `ready` is combinational.

    References
    ----------
    J. S. Turner, "New directions in communications (or which way to the information age?)", IEEE
    Communications Magazine 24(10), 1986 (leaky bucket).
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike, *, rate: Fraction, burst: int) -> None:
        self._gain, self._cost = rate.numerator, rate.denominator
        self._full = burst * self._cost
        beats = stream.Signature(shape)
        super().__init__({"i": In(beats), "o": Out(beats)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # What is missing, so that the registers are 0 after a reset.
        missing = Signal(range(self._full + 1), name="missing")
        in_packet, opens = Signal(name="in_packet"), Signal(name="opens")
        moves, before = (
            Signal(name="moves"),
            Signal(range(self._full + self._cost + 1), name="before"),
        )
        m.d.comb += [
            opens.eq(Mux(in_packet, missing <= self._full - self._cost, missing == 0)),
            self.o.p.eq(self.i.p),
            self.o.valid.eq(self.i.valid & opens),
            self.i.ready.eq(self.o.ready & opens),
            moves.eq(self.i.valid & self.i.ready),
            before.eq(missing + Mux(moves, self._cost, 0)),
        ]
        m.d.sync += missing.eq(Mux(before <= self._gain, 0, before - self._gain))
        with m.If(moves):
            m.d.sync += in_packet.eq(~self.i.p.last)
        m.d.sync += Assert(before <= self._full, "regulator: a beat must have a token")
        return m
