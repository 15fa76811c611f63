"""AXI4-Lite managers at AXI4."""

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import AxiLite, axi_lite_signature
from knotwork.gateware.component import Component

from ....bus import BusParameters, require_data_width
from ..axi4 import Axi4, axi4_signature
from .single_beat import single_beat, word_address


class AxiLiteToAxi4(Component):
    """Transfers of AXI4-Lite as bursts of one beat with the identifier 0; wires only.

    An address within a word is that of the word, since AXI4-Lite's transfers are of whole words:
    the strobes say what is written.

    Latency
    -------
    0 cycles each way.

    Parameters
    ----------
    bus : BusParameters
        Widths: 32 or 64 bits of data.

    Members
    -------
    axi_lite : In(axi_lite_signature(bus))
        The manager's bus.
    axi4 : Out(axi4_signature(bus))
        A subordinate's bus.

    References
    ----------
    IHI 0022, B1.1 (AXI4-Lite's fixed values) and B2.1 (interoperability).
    """

    axi_lite: AxiLite
    axi4: Axi4

    def __init__(self, *, bus: BusParameters) -> None:
        require_data_width("axi_lite", bus)
        self._bus = bus
        super().__init__(
            {"axi_lite": In(axi_lite_signature(bus)), "axi4": Out(axi4_signature(bus))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name in ("aw", "ar"):
            i, o = getattr(self.axi_lite, name), getattr(self.axi4, name)
            single_beat(m, self._bus, o.p, word_address(self._bus, i.p.address), prot=i.p.prot)
            m.d.comb += [o.valid.eq(i.valid), i.ready.eq(o.ready)]
        i, o = self.axi_lite.w, self.axi4.w
        m.d.comb += [o.valid.eq(i.valid), i.ready.eq(o.ready)]
        m.d.comb += [o.p.data.eq(i.p.data), o.p.strobe.eq(i.p.strobe), o.p.last.eq(1)]
        i, o = self.axi4.b, self.axi_lite.b
        m.d.comb += [o.valid.eq(i.valid), i.ready.eq(o.ready), o.p.response.eq(i.p.response)]
        i, o = self.axi4.r, self.axi_lite.r
        m.d.comb += [o.valid.eq(i.valid), i.ready.eq(o.ready)]
        m.d.comb += [o.p.data.eq(i.p.data), o.p.response.eq(i.p.response)]
        return m
