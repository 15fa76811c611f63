"""Stream adapter that takes an element more than its consumer does."""

from amaranth.hdl import Module, Mux, ShapeLike, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class SkidBuffer(wiring.Component):
    """Passes a stream through, and keeps one element that its consumer did not take.

    Cuts the path of `ready`: the producer sees a registered one, and is never kept waiting in the
    clock in which it offers while the buffer is empty.

    Latency
    -------
    0 clocks.

    Parameters
    ----------
    shape : shape-like
        Payload.

    Members
    -------
    i : In(stream.Signature(shape))
        `ready` while nothing is kept.
    o : Out(stream.Signature(shape))
        The kept element, or `i` itself.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike) -> None:
        self._shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        full = Signal()
        kept = Signal(self._shape)
        m.d.comb += [
            self.i.ready.eq(~full),
            self.o.valid.eq(full | self.i.valid),
            self.o.p.eq(Mux(full, kept, self.i.p)),
        ]
        m.d.sync += full.eq(self.o.valid & ~self.o.ready)
        with m.If(~full):
            m.d.sync += kept.eq(self.i.p)
        return m
