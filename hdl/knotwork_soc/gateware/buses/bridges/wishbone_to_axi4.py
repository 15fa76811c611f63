"""Wishbone managers at AXI4."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ....bus import BusParameters, require_data_width
from ..axi4 import Axi4, axi4_signature
from ..wishbone import Wishbone, wishbone_signature
from .single_beat import single_beat


class WishboneToAxi4(Component):
    """Requests of Wishbone as bursts of one beat with the identifier 0.

    Up to `bus.outstanding` requests of one kind are under way. A read waits until all writes before
    it are answered, and a write until the reads are, since AXI4 keeps no order between them. SLVERR
    and DECERR are both told as `err`.

    A manager that ends its cycle early (`cyc` low) gets none of the answers it has not had. What
    was taken is carried out all the same, and a new cycle is stalled until the answers have come.
    A read fetches the whole word, whatever its `sel`.

    Latency
    -------
    1 cycle from a request, 0 to an answer; one request per cycle.

    Parameters
    ----------
    bus : BusParameters
        Widths: 8 to 64 bits of data.
    classic : bool
        The manager keeps `stb` until its answer (B4, 3.1.3.1), so that a request is taken once and
        the next one after the answer. By default it is pipelined.

    Members
    -------
    wishbone : In(wishbone_signature(bus))
        The manager's bus.
    axi4 : Out(axi4_signature(bus))
        A subordinate's bus.

    References
    ----------
    WISHBONE B4, 3.1.3 (handshake) and 3.2 (pipelined cycles); IHI 0022, A5.3 (order of reads and
    writes).
    """

    wishbone: Wishbone
    axi4: Axi4

    def __init__(self, *, bus: BusParameters, classic: bool = False) -> None:
        require_data_width("wishbone", bus)
        self._bus = bus
        self._classic = classic
        super().__init__(
            {"wishbone": In(wishbone_signature(bus)), "axi4": Out(axi4_signature(bus))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        wishbone = self.wishbone
        goes = Signal()
        full = Signal()
        taken = Signal()
        stale = Signal()
        answered = Signal()
        count = Signal(range(self._bus.outstanding + 1))
        names = ("we", "adr", "sel", "dat_w")
        layout = data.StructLayout({name: len(getattr(wishbone, name)) for name in names})
        request: View = Signal(layout)
        m.d.comb += [
            wishbone.stall.eq((full & ~goes) | stale | self._asked(m, taken)),
            taken.eq(wishbone.cyc & wishbone.stb & ~wishbone.stall),
        ]
        with m.If(taken):
            m.d.sync += [request[name].eq(getattr(wishbone, name)) for name in names]
        m.d.sync += [
            full.eq(taken | (full & ~goes)),
            count.eq(count + goes - answered),
            stale.eq((stale | ~wishbone.cyc) & (full | count.any())),
            Assert(~answered | count.any(), "wishbone: an answer must have its request"),
        ]
        self._requests(m, request, full, count, goes)
        self._answers(m, answered, wishbone.cyc & ~stale)
        return m

    def _asked(self, m: Module, taken: Signal) -> Value:
        """Whether the request that a classic manager offers was taken already."""
        if not self._classic:
            return Const(0)
        wishbone = self.wishbone
        asked = Signal()
        offers, answers = wishbone.cyc & wishbone.stb, wishbone.ack | wishbone.err
        m.d.sync += asked.eq(offers & (asked | taken) & ~answers)
        return asked

    def _requests(
        self, m: Module, request: View, full: Signal, count: Signal, goes: Signal
    ) -> None:
        """Send what was taken, once nothing of the other kind is under way."""
        axi4 = self.axi4
        kind = Signal()
        may_go = Signal()
        addressed = Signal()
        given = Signal()
        address = Signal(self._bus.address_width)
        m.d.comb += [
            address.eq(Cat(Const(0, self._bus.address_width - len(request.adr)), request.adr)),
            may_go.eq(
                full & (~count.any() | (kind == request.we)) & (count != self._bus.outstanding)
            ),
            axi4.aw.valid.eq(may_go & request.we & ~addressed),
            axi4.ar.valid.eq(may_go & ~request.we),
            axi4.w.valid.eq(may_go & request.we & ~given),
            axi4.w.p.data.eq(request.dat_w),
            axi4.w.p.strobe.eq(request.sel),
            axi4.w.p.last.eq(1),
            goes.eq(
                may_go
                & Mux(
                    request.we,
                    (axi4.aw.ready | addressed) & (axi4.w.ready | given),
                    axi4.ar.ready,
                )
            ),
        ]
        for channel in (axi4.aw, axi4.ar):
            single_beat(m, self._bus, channel.p, address)
        m.d.sync += [
            addressed.eq(~goes & (addressed | (axi4.aw.valid & axi4.aw.ready))),
            given.eq(~goes & (given | (axi4.w.valid & axi4.w.ready))),
        ]
        with m.If(goes):
            m.d.sync += kind.eq(request.we)

    def _answers(self, m: Module, answered: Signal, wanted: Value) -> None:
        """Answer the oldest request: there are only reads or only writes under way."""
        wishbone, b, r = self.wishbone, self.axi4.b, self.axi4.r
        failed = Signal()
        m.d.comb += [
            b.ready.eq(1),
            r.ready.eq(1),
            answered.eq(b.valid | r.valid),
            failed.eq(Mux(b.valid, b.p.response, r.p.response)[1]),
            wishbone.ack.eq(answered & ~failed & wanted),
            wishbone.err.eq(answered & failed & wanted),
            wishbone.dat_r.eq(r.p.data),
        ]
