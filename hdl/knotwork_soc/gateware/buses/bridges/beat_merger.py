"""Reads and writes of AXI4 as one sequence of beats, for buses that have one channel for both."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from ....bus import BusParameters
from ..axi4 import address_layout, write_data_layout
from .burst_stage import BurstStage
from .unroller import Unroller


def request_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read or of a write: `word` is the byte address of a whole word of data.

    `lanes` are the bytes that a read reads, or that a write writes. `data` is a write's, and 0 in a
    read.
    """
    return data.StructLayout(
        {
            "write": 1,
            "id": bus.id_width,
            "word": bus.address_width,
            "lanes": bus.data_bytes,
            "data": bus.data_width,
            "prot": 3,
            "last": 1,
        }
    )


class BeatMerger(Component):
    """Unrolls bursts of reads and of writes, and takes turns between them beat by beat.

    A burst does not hold the bus: between a write's beats, reads go on while its data is late.
    AXI4 lets a manager wait for data of a read before it gives data of a write, as one that copies
    does.

    Latency
    -------
    0 cycles for a write, 1 for a read; one beat per cycle.

    Parameters
    ----------
    bus : BusParameters
        Widths.

    Members
    -------
    aw, w, ar : In(stream)
        Channels of AXI4.
    may_read, may_write : In(1)
        There is room for the answer to such a beat. They do not fall until it is taken.
    o : Out(stream of request_layout)
        Beats.
    """

    aw: stream.Interface
    w: stream.Interface
    ar: stream.Interface
    may_read: Signal
    may_write: Signal
    o: stream.Interface

    def __init__(self, *, bus: BusParameters) -> None:
        self._bus = bus
        super().__init__(
            {
                "aw": In(stream.Signature(address_layout(bus))),
                "w": In(stream.Signature(write_data_layout(bus))),
                "ar": In(stream.Signature(address_layout(bus))),
                "may_read": In(1),
                "may_write": In(1),
                "o": Out(stream.Signature(request_layout(bus))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.writes = writes = Unroller(bus=self._bus)
        m.submodules.reads = reads = Unroller(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.aw), writes.i)
        m.submodules.read_stage = stage = BurstStage(bus=self._bus)
        wiring.connect(m, wiring.flipped(self.ar), stage.i)
        wiring.connect(m, stage.o, reads.i)
        asks_read = Signal()
        asks_write = Signal()
        writing = Signal()
        wrote = Signal()
        held = Signal()
        request = self.o.p
        m.d.comb += [
            asks_read.eq(reads.o.valid & self.may_read),
            asks_write.eq(writes.o.valid & self.w.valid & self.may_write),
            # A beat that is offered stays; otherwise the other kind has its turn.
            writing.eq(Mux(held, wrote, asks_write & ~(asks_read & wrote))),
            self.o.valid.eq(asks_read | asks_write),
            request.write.eq(writing),
            # Data that comes while a read is offered must not show.
            request.data.eq(Mux(writing, self.w.p.data, 0)),
            reads.o.ready.eq(self.o.ready & asks_read & ~writing),
            writes.o.ready.eq(self.o.ready & asks_write & writing),
            self.w.ready.eq(self.o.ready & asks_write & writing),
        ]
        for field in ("id", "word", "prot", "last"):
            m.d.comb += request[field].eq(Mux(writing, writes.o.p[field], reads.o.p[field]))
        m.d.comb += request.lanes.eq(Mux(writing, self.w.p.strobe, reads.o.p.lanes))
        m.d.sync += held.eq(self.o.valid & ~self.o.ready)
        with m.If(self.o.valid):
            m.d.sync += wrote.eq(writing)
        return m
