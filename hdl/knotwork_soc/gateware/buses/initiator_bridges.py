"""Bridges from a user's manager to AXI4: of AXI4-Lite, Wishbone and APB."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import AxiLite, axi_lite_signature
from knotwork.gateware.component import Component
from knotwork.untyped import View

from ...parameters import BusParameters, require_data_width
from .bus_kinds import Apb, Axi4, Burst, Wishbone, apb_signature, axi4_signature, wishbone_signature


def word_address(bus: BusParameters, address: Value) -> Value:
    """Byte address of the word that has this byte."""
    low = (bus.data_bytes - 1).bit_length()
    return Cat(Const(0, low), address[low:])


def single_beat(
    m: Module, bus: BusParameters, payload: View, address: Value, *, prot: Value | int = 0
) -> None:
    """Drive AW or AR with one beat of a whole word: identifier 0, and no cache may change it."""
    m.d.comb += [
        payload.id.eq(0),
        payload.address.eq(address),
        payload.length.eq(0),
        payload.size.eq((bus.data_bytes - 1).bit_length()),
        payload.burst.eq(Burst.INCR),
        payload.lock.eq(0),
        payload.cache.eq(0),
        payload.prot.eq(prot),
        payload.qos.eq(0),
    ]


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


class WishboneToAxi4(Component):
    """Requests of Wishbone as bursts of one beat with the identifier 0.

    Up to `bus.outstanding` requests of one kind are under way. A read waits until all writes before
    it are answered, and a write until the reads are, since AXI4 keeps no order between them. SLVERR
    and DECERR are both reported as `err`.

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
        self.full = full = Signal(name="full")
        taken = Signal()
        self.stale = stale = Signal(name="stale")
        answered = Signal()
        self.count = count = Signal(range(self._bus.outstanding + 1), name="count")
        names = ("we", "adr", "sel", "dat_w")
        layout = data.StructLayout({name: len(getattr(wishbone, name)) for name in names})
        request: View = Signal(layout, name="request")
        self.request = request
        m.d.comb += [
            wishbone.stall.eq((full & ~goes) | stale | self._was_taken(m, taken)),
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

    def _was_taken(self, m: Module, taken: Signal) -> Value:
        """Whether the request that a classic manager offers was taken already."""
        if not self._classic:
            return Const(0)
        wishbone = self.wishbone
        requested = Signal()
        offers, answers = wishbone.cyc & wishbone.stb, wishbone.ack | wishbone.err
        m.d.sync += requested.eq(offers & (requested | taken) & ~answers)
        return requested

    def _requests(
        self, m: Module, request: View, full: Signal, count: Signal, goes: Signal
    ) -> None:
        """Send what was taken, once nothing of the other kind is under way."""
        axi4 = self.axi4
        self.kind = kind = Signal(name="kind")
        may_go = Signal()
        self.addressed = addressed = Signal(name="addressed")
        self.given = given = Signal(name="given")
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


class ApbToAxi4(Component):
    """Transfers of APB as bursts of one beat with the identifier 0, one at a time.

    The requester keeps its signals from the setup to the end of the transfer, so that they drive
    AXI4 as they are. SLVERR and DECERR are both reported as `pslverr`.

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
        self.addressed = addressed = Signal(name="addressed")
        self.given = given = Signal(name="given")
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
        requested = axi4.aw.valid & axi4.aw.ready | axi4.ar.valid & axi4.ar.ready
        m.d.sync += [
            addressed.eq(~ends & (addressed | requested)),
            given.eq(~ends & (given | axi4.w.valid & axi4.w.ready)),
        ]
        return m


INITIATOR_BRIDGES = {"axi_lite": AxiLiteToAxi4, "wishbone": WishboneToAxi4, "apb": ApbToAxi4}
"""Bridges from a manager's bus to AXI4, by the kind of the bus, which also names its member."""
