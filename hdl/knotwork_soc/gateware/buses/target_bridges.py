"""Bridges from AXI4 to a user's memory: of AXI4-Lite, Wishbone and APB."""

from typing import Any

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import AxiLite, Response, axi_lite_signature
from knotwork.gateware.component import Component
from knotwork.gateware.parts.buffer import Buffer
from knotwork.untyped import View

from ...parameters import BusParameters, require_data_width
from .bursts import PENDING, BeatMerger, BurstStage, Unroller
from .bus_kinds import Apb, Axi4, Wishbone, apb_signature, axi4_signature, wishbone_signature


class Axi4ToAxiLite(Component):
    """Bursts of AXI4 as transfers of AXI4-Lite, and their answers as the bursts'.

    A transfer is of the whole word that has the beat's bytes; a read of fewer bytes reads the
    others too. The outcome of a write is the worst of its beats (DECERR, SLVERR, OKAY). Exclusive
    accesses are answered as plain ones, by OKAY (IHI 0022, A7.2.5). Reads and writes do not wait
    for each other. Answers come in the order of the bursts, whatever their identifiers.

    Latency
    -------
    1 cycle to a read, otherwise 0; one beat per cycle and direction, while fewer than `pending`
    beats wait for their answers.

    Parameters
    ----------
    bus : BusParameters
        Widths: 32 or 64 bits of data.
    pending : int
        Beats of each direction that may wait for their answers, at least 2.

    Members
    -------
    axi4 : In(axi4_signature(bus))
        A manager's bus.
    axi_lite : Out(axi_lite_signature(bus))
        The peripheral's bus.

    References
    ----------
    IHI 0022, B1.1 (AXI4-Lite), B2.2 (conversion), A3.4.4 (responses).
    """

    axi4: Axi4
    axi_lite: AxiLite

    def __init__(self, *, bus: BusParameters, pending: int = PENDING) -> None:
        require_data_width("axi_lite", bus)
        self._bus = bus
        self._pending = pending
        super().__init__(
            {"axi4": In(axi4_signature(bus)), "axi_lite": Out(axi_lite_signature(bus))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.read_stage = self.read_stage = stage = BurstStage(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.axi4.ar), stage.i)
        self.read_unroller, self.read_order = self._addresses(m, "read", stage.o, self.axi_lite.ar)
        aw: Any = wiring.flipped(self.axi4.aw)  # an interface like any other
        self.write_unroller, self.write_order = self._addresses(m, "write", aw, self.axi_lite.aw)
        m.d.comb += [
            self.axi_lite.w.valid.eq(self.axi4.w.valid),
            self.axi_lite.w.p.data.eq(self.axi4.w.p.data),
            self.axi_lite.w.p.strobe.eq(self.axi4.w.p.strobe),
            self.axi4.w.ready.eq(self.axi_lite.w.ready),
        ]
        self._reads(m, self.read_order.o)
        self._writes(m, self.write_order.o)
        return m

    def _addresses(
        self, m: Module, name: str, i: stream.Interface, o: stream.Interface
    ) -> tuple[Unroller, Buffer]:
        """Send a direction's beats; keep what is known of those that wait for answers, in order."""
        layout = data.StructLayout({"id": self._bus.id_width, "last": 1})
        m.submodules[f"{name}_unroller"] = unroller = Unroller(bus=self._bus)
        m.submodules[f"{name}_order"] = order = Buffer(layout, depth=self._pending)
        wiring.connect(m, i, unroller.i)
        beat: View = unroller.o.p
        m.d.comb += [
            o.valid.eq(unroller.o.valid & order.i.ready),
            o.p.address.eq(beat.word),
            o.p.prot.eq(beat.prot),
            unroller.o.ready.eq(o.ready & order.i.ready),
            order.i.valid.eq(unroller.o.valid & o.ready),
            order.i.p.id.eq(beat.id),
            order.i.p.last.eq(beat.last),
        ]
        return unroller, order

    def _reads(self, m: Module, order: stream.Interface) -> None:
        answer, r = self.axi_lite.r, self.axi4.r
        m.d.comb += [
            r.valid.eq(answer.valid & order.valid),
            r.p.id.eq(order.p.id),
            r.p.last.eq(order.p.last),
            r.p.data.eq(answer.p.data),
            r.p.response.eq(answer.p.response),
            answer.ready.eq(r.ready & order.valid),
            order.ready.eq(r.ready & answer.valid),
        ]

    def _writes(self, m: Module, order: stream.Interface) -> None:
        answer, b = self.axi_lite.b, self.axi4.b
        worst = Signal(2)
        self.earlier = earlier = Signal(2, name="earlier")
        taken = Signal()
        m.d.comb += [
            # OKAY, SLVERR and DECERR are 0, 2 and 3: the worst is their OR.
            worst.eq(earlier | answer.p.response),
            b.valid.eq(answer.valid & order.valid & order.p.last),
            b.p.id.eq(order.p.id),
            b.p.response.eq(worst),
            taken.eq(b.ready | ~order.p.last),
            answer.ready.eq(order.valid & taken),
            order.ready.eq(answer.valid & taken),
        ]
        with m.If(answer.valid & answer.ready):
            m.d.sync += earlier.eq(Mux(order.p.last, 0, worst))


class Axi4ToWishbone(Component):
    """Bursts of AXI4 as pipelined requests of Wishbone, and their answers as the bursts'.

    A peripheral cannot be made to keep its answer, so a read is sent only when there is room for
    what it reads, and a write when there is room for its burst's outcome. Reads and writes take
    turns, beat by beat, and neither waits for the other's answers to be taken. A write has failed
    if one of its beats has (`err`: SLVERR). A peripheral may answer in the very cycle in which it
    takes a request, as one of the classic kind does with ``stall = cyc & ~ack`` (B4, 5.2.1).

    Latency
    -------
    0 cycles to a write, 1 to a read, 1 from an answer; one beat per cycle, if the peripheral
    answers within `pending` - 2 cycles.

    Parameters
    ----------
    bus : BusParameters
        Widths: 8 to 64 bits of data.
    pending : int
        Beats that may wait for their answers, at least 2.

    Members
    -------
    axi4 : In(axi4_signature(bus))
        A manager's bus.
    wishbone : Out(wishbone_signature(bus))
        The peripheral's bus.

    References
    ----------
    WISHBONE B4, 3.1.3 (handshake) and 3.2 (pipelined cycles); IHI 0022, A3.4.
    """

    axi4: Axi4
    wishbone: Wishbone

    def __init__(self, *, bus: BusParameters, pending: int = PENDING) -> None:
        require_data_width("wishbone", bus)
        self._bus = bus
        self._pending = pending
        super().__init__(
            {"axi4": In(axi4_signature(bus)), "wishbone": Out(wishbone_signature(bus))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.beats = self.beats = beats = BeatMerger(bus=self._bus)
        for channel in ("aw", "w", "ar"):
            wiring.connect(m, wiring.flipped(getattr(self.axi4, channel)), getattr(beats, channel))
        wishbone, request = self.wishbone, beats.o.p
        layout = data.StructLayout({"write": 1, "id": self._bus.id_width, "last": 1})
        m.submodules.order = self.order = order = Buffer(layout, depth=self._pending)
        sent = Signal()
        answered = Signal()
        failed = Signal()
        m.d.comb += [
            wishbone.stb.eq(beats.o.valid & order.i.ready),
            wishbone.cyc.eq(wishbone.stb | order.o.valid),
            wishbone.we.eq(request.write),
            wishbone.adr.eq(request.word >> (self._bus.data_bytes - 1).bit_length()),
            wishbone.sel.eq(request.lanes),
            wishbone.dat_w.eq(request.data),
            beats.o.ready.eq(order.i.ready & ~wishbone.stall),
            sent.eq(wishbone.stb & ~wishbone.stall),
            # An answer without a request is none.
            answered.eq((wishbone.ack | wishbone.err) & (order.o.valid | sent)),
            failed.eq(wishbone.err),
            # A request that is answered at once need not wait.
            order.i.valid.eq(sent & ~(answered & ~order.o.valid)),
            order.o.ready.eq(answered),
        ]
        answers: View = Signal(layout, name="answers")
        m.d.comb += answers.eq(Mux(order.o.valid, order.o.p, order.i.p))
        for field in layout.members:
            m.d.comb += order.i.p[field].eq(request[field])
        read, last = sent & ~request.write, sent & request.write & request.last
        reads = self._reads(m, answered & ~answers.write, answers, failed)
        writes = self._writes(m, answered & answers.write, answers, failed)
        self.reads = self._count(m, "reads", read, reads)
        m.d.comb += beats.may_read.eq(self.reads != self._pending)
        self.writes = self._count(m, "writes", last, writes)
        m.d.comb += beats.may_write.eq(self.writes != self._pending)
        return m

    def _count(self, m: Module, name: str, sent: Value, left: stream.Interface) -> Signal:
        """Number of one kind that were sent and whose answers have not left."""
        count = Signal(range(self._pending + 1), name=name)
        leaves = Signal(name=f"{name}_leave")
        m.d.comb += leaves.eq(left.valid & left.ready)
        m.d.sync += count.eq(count + sent - leaves)
        return count

    def _reads(self, m: Module, answered: Value, answers: View, failed: Signal) -> stream.Interface:
        """Keep what is read until R takes it."""
        layout = data.StructLayout(
            {"id": self._bus.id_width, "last": 1, "data": self._bus.data_width, "failed": 1}
        )
        m.submodules.read_store = self.read_store = store = Buffer(layout, depth=self._pending)
        r = self.axi4.r
        m.d.comb += [
            store.i.valid.eq(answered),
            store.i.p.id.eq(answers.id),
            store.i.p.last.eq(answers.last),
            store.i.p.data.eq(self.wishbone.dat_r),
            store.i.p.failed.eq(failed),
            r.valid.eq(store.o.valid),
            store.o.ready.eq(r.ready),
            r.p.id.eq(store.o.p.id),
            r.p.last.eq(store.o.p.last),
            r.p.data.eq(store.o.p.data),
            r.p.response.eq(Mux(store.o.p.failed, Response.SLVERR, Response.OKAY)),
        ]
        m.d.sync += Assert(~answered | store.i.ready, "wishbone: what is read must have space")
        return store.o

    def _writes(
        self, m: Module, answered: Value, answers: View, failed: Signal
    ) -> stream.Interface:
        """Join the outcomes of a burst's beats, and keep that until B takes it."""
        layout = data.StructLayout({"id": self._bus.id_width, "failed": 1})
        m.submodules.write_store = self.write_store = store = Buffer(layout, depth=self._pending)
        b = self.axi4.b
        self.earlier = earlier = Signal(name="earlier")
        m.d.comb += [
            store.i.valid.eq(answered & answers.last),
            store.i.p.id.eq(answers.id),
            store.i.p.failed.eq(earlier | failed),
            b.valid.eq(store.o.valid),
            store.o.ready.eq(b.ready),
            b.p.id.eq(store.o.p.id),
            b.p.response.eq(Mux(store.o.p.failed, Response.SLVERR, Response.OKAY)),
        ]
        with m.If(answered):
            m.d.sync += earlier.eq(~answers.last & (earlier | failed))
        m.d.sync += Assert(
            ~store.i.valid | store.i.ready, "wishbone: a write's outcome must have space"
        )
        return store.o


class Axi4ToApb(Component):
    """Bursts of AXI4 as transfers of APB, and their answers as the bursts'.

    Reads and writes take turns, beat by beat. A transfer begins only when there is room for its
    answer, since a peripheral cannot be made to keep it. A write has failed if one of its beats has
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
        m.submodules.beats = self.beats = beats = BeatMerger(bus=self._bus)
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
        self.earlier = earlier = Signal(name="earlier")
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


TARGET_BRIDGES = {"axi_lite": Axi4ToAxiLite, "wishbone": Axi4ToWishbone, "apb": Axi4ToApb}
"""Bridges from AXI4 to a peripheral's bus, by the kind of the bus."""
