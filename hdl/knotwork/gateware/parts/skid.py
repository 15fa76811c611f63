"""Stream adapter that takes one element more than its consumer."""

from collections.abc import Hashable

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...untyped import View
from ..component import Component


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
