"""Register of a burst's address."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ....bus import BusParameters
from ..axi4 import address_layout


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
        full = Signal()
        kept: View = Signal(self._shape)
        m.d.comb += [
            self.i.ready.eq(~full | self.o.ready),
            self.o.valid.eq(full),
            self.o.p.eq(kept),
        ]
        with m.If(self.i.ready):
            m.d.sync += [full.eq(self.i.valid), kept.eq(self.i.p)]
        return m
