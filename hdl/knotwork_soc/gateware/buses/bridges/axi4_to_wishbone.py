"""Wishbone peripherals at AXI4: each beat of a burst is a request."""

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component
from knotwork.gateware.parts.buffer import Buffer
from knotwork.untyped import View

from ....bus import BusParameters, require_data_width
from ..axi4 import Axi4, axi4_signature
from ..wishbone import Wishbone, wishbone_signature
from .beat_merger import BeatMerger
from .unroller import PENDING


class Axi4ToWishbone(Component):
    """Bursts of AXI4 as pipelined requests of Wishbone, and their answers as the bursts'.

    A peripheral cannot be told to keep its answer, so a read is sent only when there is room for
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
        m.submodules.beats = beats = BeatMerger(bus=self._bus)
        for channel in ("aw", "w", "ar"):
            wiring.connect(m, wiring.flipped(getattr(self.axi4, channel)), getattr(beats, channel))
        wishbone, request = self.wishbone, beats.o.p
        layout = data.StructLayout({"write": 1, "id": self._bus.id_width, "last": 1})
        m.submodules.order = order = Buffer(layout, depth=self._pending)
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
        m.d.comb += beats.may_read.eq(self._room(m, "reads", read, reads))
        m.d.comb += beats.may_write.eq(self._room(m, "writes", last, writes))
        return m

    def _room(self, m: Module, name: str, sent: Value, left: stream.Interface) -> Value:
        """Whether one more of a kind may be sent: one sent counts until its answer has left."""
        count = Signal(range(self._pending + 1), name=name)
        leaves = Signal(name=f"{name}_leave")
        m.d.comb += leaves.eq(left.valid & left.ready)
        m.d.sync += count.eq(count + sent - leaves)
        return count != self._pending

    def _reads(self, m: Module, answered: Value, answers: View, failed: Signal) -> stream.Interface:
        """Keep what is read until R takes it."""
        layout = data.StructLayout(
            {"id": self._bus.id_width, "last": 1, "data": self._bus.data_width, "failed": 1}
        )
        m.submodules.read_store = store = Buffer(layout, depth=self._pending)
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
        m.d.sync += Assert(~answered | store.i.ready, "wishbone: what is read must have room")
        return store.o

    def _writes(
        self, m: Module, answered: Value, answers: View, failed: Signal
    ) -> stream.Interface:
        """Join the outcomes of a burst's beats, and keep that until B takes it."""
        layout = data.StructLayout({"id": self._bus.id_width, "failed": 1})
        m.submodules.write_store = store = Buffer(layout, depth=self._pending)
        b = self.axi4.b
        earlier = Signal()
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
            ~store.i.valid | store.i.ready, "wishbone: a write's outcome must have room"
        )
        return store.o
