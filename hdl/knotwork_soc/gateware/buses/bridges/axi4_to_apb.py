"""APB peripherals at AXI4: each beat of a burst is a transfer."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component

from ....bus import BusParameters, require_data_width
from ..apb import Apb, apb_signature
from ..axi4 import Axi4, axi4_signature
from .beat_merger import BeatMerger


class Axi4ToApb(Component):
    """Bursts of AXI4 as transfers of APB, and their answers as the bursts'.

    Reads and writes take turns, beat by beat. A transfer begins only when there is room for its
    answer, since a peripheral cannot be told to keep it. A write has failed if one of its beats has
    (`pslverr`: SLVERR).

    Latency
    -------
    0 cycles to a write's setup, 1 to a read's, 1 from its end; two cycles per beat, and those in
    which the peripheral is not ready.

    Parameters
    ----------
    bus : BusParameters
        Widths: 8 to 32 bits of data.

    Members
    -------
    axi4 : In(axi4_signature(bus))
        A manager's bus.
    apb : Out(apb_signature(bus))
        The peripheral's bus.

    References
    ----------
    IHI 0024, 3 (transfers) and 4.1 (states); IHI 0022, A3.4.
    """

    axi4: Axi4
    apb: Apb

    def __init__(self, *, bus: BusParameters) -> None:
        require_data_width("apb", bus)
        self._bus = bus
        super().__init__({"axi4": In(axi4_signature(bus)), "apb": Out(apb_signature(bus))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.beats = beats = BeatMerger(bus=self._bus)
        for channel in ("aw", "w", "ar"):
            wiring.connect(m, wiring.flipped(getattr(self.axi4, channel)), getattr(beats, channel))
        apb, request = self.apb, beats.o.p
        ends = Signal()
        m.d.comb += [
            apb.psel.eq(beats.o.valid),
            apb.pwrite.eq(request.write),
            apb.paddr.eq(request.word),
            apb.pprot.eq(request.prot),
            apb.pwdata.eq(request.data),
            apb.pstrb.eq(Mux(request.write, request.lanes, 0)),
            ends.eq(apb.psel & apb.penable & apb.pready),
            beats.o.ready.eq(apb.penable & apb.pready),
        ]
        # The access phase follows the one cycle of setup.
        m.d.sync += apb.penable.eq(apb.psel & ~ends)
        self._answers(m, ends, beats)
        return m

    def _answers(self, m: Module, ends: Signal, beats: BeatMerger) -> None:
        """Keep a read's data until R takes it, and a write's outcome until B does."""
        apb, request, b, r = self.apb, beats.o.p, self.axi4.b, self.axi4.r
        earlier = Signal()
        failed = Signal()
        m.d.comb += [
            failed.eq(earlier | apb.pslverr),
            beats.may_read.eq(~r.valid | r.ready),
            beats.may_write.eq(~b.valid | b.ready),
        ]
        with m.If(b.ready):
            m.d.sync += b.valid.eq(0)
        with m.If(r.ready):
            m.d.sync += r.valid.eq(0)
        with m.If(ends & request.write):
            m.d.sync += earlier.eq(failed & ~request.last)
            with m.If(request.last):
                m.d.sync += [
                    b.valid.eq(1),
                    b.p.id.eq(request.id),
                    b.p.response.eq(Mux(failed, Response.SLVERR, Response.OKAY)),
                ]
        with m.If(ends & ~request.write):
            m.d.sync += [
                r.valid.eq(1),
                r.p.id.eq(request.id),
                r.p.last.eq(request.last),
                r.p.data.eq(apb.prdata),
                r.p.response.eq(Mux(apb.pslverr, Response.SLVERR, Response.OKAY)),
            ]
