"""AXI4-Lite peripherals at AXI4: each beat of a burst is a transfer."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import AxiLite, axi_lite_signature
from knotwork.gateware.component import Component
from knotwork.gateware.parts.buffer import Buffer
from knotwork.untyped import View

from ....bus import BusParameters, require_data_width
from ..axi4 import Axi4, axi4_signature
from .burst_stage import BurstStage
from .unroller import PENDING, Unroller


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
        m.submodules.read_stage = stage = BurstStage(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.axi4.ar), stage.i)
        read = self._addresses(m, "read", stage.o, self.axi_lite.ar)
        aw: Any = wiring.flipped(self.axi4.aw)  # an interface like any other
        written = self._addresses(m, "write", aw, self.axi_lite.aw)
        m.d.comb += [
            self.axi_lite.w.valid.eq(self.axi4.w.valid),
            self.axi_lite.w.p.data.eq(self.axi4.w.p.data),
            self.axi_lite.w.p.strobe.eq(self.axi4.w.p.strobe),
            self.axi4.w.ready.eq(self.axi_lite.w.ready),
        ]
        self._reads(m, read)
        self._writes(m, written)
        return m

    def _addresses(
        self, m: Module, name: str, i: stream.Interface, o: stream.Interface
    ) -> stream.Interface:
        """Send a direction's beats; give what is known of those that wait for answers, in order."""
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
        return order.o

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
        earlier = Signal(2)
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
