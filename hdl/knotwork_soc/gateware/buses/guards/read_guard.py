"""Guard of a target's reads: what it does not answer in time is answered for."""

from amaranth.hdl import Assert, Module, Mux, Signal, unsigned
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component

from ....bus import BusParameters
from ..axi4 import address_layout, read_data_layout
from ..packets.store import Stage, Store
from .silence import SilenceTimer


class ReadGuard(Component):
    """Passes reads to a memory that answers in order, as long as it does so.

    After `bus.timeout` cycles in which the memory owes something and does nothing it is `silent`:
    the guard answers what is owed, and every read that follows, with `SLVERR`. It keeps offering
    what it offered, and takes late answers away. Once the last has come, and what the guard itself
    owes is answered, reads reach the memory again.

    Identifiers are 0.

    Latency
    -------
    1 cycle from `ar` to `memory_ar`; 0 cycles from `memory_r` to `r`.

    Parameters
    ----------
    bus : BusParameters
        `outstanding` reads under way; `timeout`.

    Members
    -------
    ar : In(stream of address_layout)
        Reads.
    r : Out(stream of read_data_layout)
        Their answers, in order; as many beats as were asked for.
    memory_ar : Out(stream of address_layout)
        Reads to the memory.
    memory_r : In(stream of read_data_layout)
        Its answers, in order.
    silent : Out(1)
        The memory has not answered in time.
    """

    ar: stream.Interface
    r: stream.Interface
    memory_ar: stream.Interface
    memory_r: stream.Interface
    silent: Signal

    def __init__(self, *, bus: BusParameters) -> None:
        self._bus = bus
        address, beat = address_layout(bus), read_data_layout(bus)
        super().__init__(
            {
                "ar": In(stream.Signature(address)),
                "r": Out(stream.Signature(beat)),
                "memory_ar": Out(stream.Signature(address)),
                "memory_r": In(stream.Signature(beat)),
                "silent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus = self._bus
        m.submodules.asked = asked = Stage(address_layout(bus))
        m.submodules.lengths = lengths = Store(unsigned(8), depth=bus.outstanding)
        wiring.connect(m, asked.o, wiring.flipped(self.memory_ar))
        due, beat = Signal(range(bus.outstanding + 1), name="due"), Signal(8, name="beat")
        issued, answered = Signal(name="issued"), Signal(name="answered")
        taken, none_due, room = Signal(name="taken"), Signal(name="none_due"), Signal(name="room")
        m.d.comb += [
            none_due.eq(due == 0),
            # Where it is silent and nothing is late any more, reads wait until all are answered.
            room.eq(lengths.i.ready & Mux(self.silent, ~none_due, asked.i.ready)),
            self.ar.ready.eq(room),
            asked.i.valid.eq(self.ar.valid & room & ~self.silent),
            asked.i.p.eq(self.ar.p),
            lengths.i.valid.eq(self.ar.valid & room),
            lengths.i.p.eq(self.ar.p.length),
            issued.eq(asked.i.valid),
            self.r.valid.eq(lengths.o.valid & (self.silent | self.memory_r.valid)),
            self.r.p.data.eq(Mux(self.silent, 0, self.memory_r.p.data)),
            self.r.p.response.eq(Mux(self.silent, Response.SLVERR, self.memory_r.p.response)),
            self.r.p.last.eq(beat == lengths.o.p),
            self.memory_r.ready.eq(self.silent | (self.r.ready & lengths.o.valid)),
            answered.eq(self.memory_r.valid & self.memory_r.ready & self.memory_r.p.last),
            taken.eq(self.r.valid & self.r.ready),
            lengths.o.ready.eq(taken & self.r.p.last),
        ]
        with m.If(taken):
            m.d.sync += beat.eq(Mux(self.r.p.last, 0, beat + 1))
        m.d.sync += due.eq(due + issued - answered)
        moves = self.memory_r.valid | (self.memory_ar.valid & self.memory_ar.ready)
        m.submodules.timer = timer = SilenceTimer(timeout=bus.timeout)
        m.d.comb += [
            timer.waits.eq(~none_due & ~moves),
            timer.over.eq(none_due & ~lengths.o.valid),
            self.silent.eq(timer.silent),
        ]
        wrong = answered & none_due
        m.d.sync += Assert(~wrong, "reads: the memory must answer only what it was asked")
        return m
