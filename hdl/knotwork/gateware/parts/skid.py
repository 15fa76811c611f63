"""Stream adapter that takes an element more than its consumer does."""

from typing import Any

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
    full : Out(1)
        An element is kept.
    kept : Out(shape)
        It, while `full`: for what must be told of it without the path of `i`.
    """

    i: stream.Interface
    o: stream.Interface
    full: Signal
    kept: Any

    def __init__(self, shape: ShapeLike) -> None:
        super().__init__(
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "full": Out(1),
                "kept": Out(shape),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.i.ready.eq(~self.full),
            self.o.valid.eq(self.full | self.i.valid),
            self.o.p.eq(Mux(self.full, self.kept, self.i.p)),
        ]
        m.d.sync += self.full.eq(self.o.valid & ~self.o.ready)
        with m.If(~self.full):
            m.d.sync += self.kept.eq(self.i.p)
        return m
