"""APB requesters at AXI4."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from ....bus import BusParameters, require_data_width
from ..apb import Apb, apb_signature
from ..axi4 import Axi4, axi4_signature
from .single_beat import single_beat, word_address


class ApbToAxi4(Component):
    """Transfers of APB as bursts of one beat with the identifier 0, one at a time.

    The requester keeps its signals from the setup to the end of the transfer, so that they drive
    AXI4 as they are. SLVERR and DECERR are both told as `pslverr`.

    Latency
    -------
    0 cycles each way: a transfer's setup is offered to AXI4, and an answer ends the transfer.

    Parameters
    ----------
    bus : BusParameters
        Widths: 8 to 32 bits of data.

    Members
    -------
    apb : In(apb_signature(bus))
        The requester's bus.
    axi4 : Out(axi4_signature(bus))
        A subordinate's bus.

    References
    ----------
    IHI 0024, 3 (transfers) and 4.1 (states).
    """

    apb: Apb
    axi4: Axi4

    def __init__(self, *, bus: BusParameters) -> None:
        require_data_width("apb", bus)
        self._bus = bus
        super().__init__({"apb": In(apb_signature(bus)), "axi4": Out(axi4_signature(bus))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        apb, axi4 = self.apb, self.axi4
        addressed = Signal()
        given = Signal()
        ends = Signal()
        address = word_address(self._bus, apb.paddr)
        for channel in (axi4.aw, axi4.ar):
            single_beat(m, self._bus, channel.p, address, prot=apb.pprot)
        m.d.comb += [
            axi4.aw.valid.eq(apb.psel & apb.pwrite & ~addressed),
            axi4.ar.valid.eq(apb.psel & ~apb.pwrite & ~addressed),
            axi4.w.valid.eq(apb.psel & apb.pwrite & ~given),
            axi4.w.p.data.eq(apb.pwdata),
            axi4.w.p.strobe.eq(apb.pstrb),
            axi4.w.p.last.eq(1),
            axi4.b.ready.eq(apb.penable & apb.pwrite),
            axi4.r.ready.eq(apb.penable & ~apb.pwrite),
            apb.pready.eq(Mux(apb.pwrite, axi4.b.valid, axi4.r.valid)),
            ends.eq(apb.psel & apb.penable & apb.pready),
            apb.prdata.eq(axi4.r.p.data),
            apb.pslverr.eq(Mux(apb.pwrite, axi4.b.p.response, axi4.r.p.response)[1]),
        ]
        asked = axi4.aw.valid & axi4.aw.ready | axi4.ar.valid & axi4.ar.ready
        m.d.sync += [
            addressed.eq(~ends & (addressed | asked)),
            given.eq(~ends & (given | axi4.w.valid & axi4.w.ready)),
        ]
        return m
