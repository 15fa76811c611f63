"""Reads and writes of registers over AXI4-Lite."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..axi_lite import AxiLite, BusWidths, Response, axi_lite_signature
from ..component import Component


class RegisterAccess(Component):
    """Answers a bus with the registers of whoever has them.

    Latency
    -------
    1 cycle from a request to its answer; one is taken every second cycle.

    Parameters
    ----------
    bus : BusWidths
        Widths.

    Members
    -------
    bus : In(axi_lite_signature)
        Bus. What the address does not name, and writes that lack a byte, are answered with SLVERR.
    read_word : Out
        Number of the word that is read.
    value : In(data_width)
        What it holds, in the same cycle.
    readable : In(1)
        Whether it is a register that may be read.
    write_word : Out
        Number of the word that is written.
    writable : In(1)
        Whether it is a register that may be written.
    writes : Out(1)
        `data` is written.
    data : Out(data_width)
        What is written.

    References
    ----------
    Arm, AMBA AXI and ACE Protocol Specification (IHI 0022), part B, AXI4-Lite: a subordinate may
    wait for address and data before it takes both (A3.3.1), and need not take partial writes
    (B1.1.3).
    """

    bus: AxiLite
    read_word: Signal
    value: Signal
    readable: Signal
    write_word: Signal
    writable: Signal
    writes: Signal
    data: Signal

    def __init__(self, *, bus: BusWidths) -> None:
        self._skipped = (bus.data_bytes - 1).bit_length()
        word = bus.address_width - self._skipped
        super().__init__(
            {
                "bus": In(axi_lite_signature(bus)),
                "read_word": Out(word),
                "value": In(bus.data_width),
                "readable": In(1),
                "write_word": Out(word),
                "writable": In(1),
                "writes": Out(1),
                "data": Out(bus.data_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, taken, may = self.bus, Signal(name="taken"), Signal(name="may")
        m.d.comb += [
            self.read_word.eq(bus.ar.p.address[self._skipped :]),
            self.write_word.eq(bus.aw.p.address[self._skipped :]),
            self.data.eq(bus.w.p.data),
            bus.ar.ready.eq(~bus.r.valid),
            taken.eq(bus.aw.valid & bus.w.valid & ~bus.b.valid),
            may.eq(self.writable & bus.w.p.strobe.all()),
            self.writes.eq(taken & may),
            bus.aw.ready.eq(taken),
            bus.w.ready.eq(taken),
        ]
        with m.If(bus.ar.valid & bus.ar.ready):
            m.d.sync += [
                bus.r.valid.eq(1),
                bus.r.p.data.eq(Mux(self.readable, self.value, 0)),
                bus.r.p.response.eq(Mux(self.readable, Response.OKAY, Response.SLVERR)),
            ]
        with m.Elif(bus.r.ready):
            m.d.sync += bus.r.valid.eq(0)
        with m.If(taken):
            m.d.sync += [
                bus.b.valid.eq(1),
                bus.b.p.response.eq(Mux(may, Response.OKAY, Response.SLVERR)),
            ]
        with m.Elif(bus.b.ready):
            m.d.sync += bus.b.valid.eq(0)
        return m
