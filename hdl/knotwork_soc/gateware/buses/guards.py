"""Guards of memories: what answers for a memory that falls silent."""

from amaranth.hdl import Assert, Module, Mux, Signal, unsigned
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.axi_lite import Response
from knotwork.gateware.component import Component

from ...parameters import BusParameters
from .bus_kinds import address_layout, read_data_layout, write_data_layout, write_response_layout
from .stores import Stage, Store


class SilenceTimer(Component):
    """Counts the cycles in which something is waited for.

    Latency
    -------
    `silent` is high in the cycle after the last of `timeout` cycles in a row with `waits`.

    Parameters
    ----------
    timeout : int
        Cycles.

    Members
    -------
    waits : In(1)
        The memory owes something, and does nothing.
    over : In(1)
        Nothing is owed any more, by the memory or instead of it.
    silent : Out(1)
        From the timeout until `over`.
    """

    waits: Signal
    over: Signal
    silent: Signal

    def __init__(self, *, timeout: int) -> None:
        self._timeout = timeout
        super().__init__({"waits": In(1), "over": In(1), "silent": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        cycles, late = Signal(range(self._timeout), name="cycles"), Signal(name="late")
        self.cycles = cycles
        m.d.comb += late.eq(self.waits & (cycles == self._timeout - 1))
        m.d.sync += [
            cycles.eq(Mux(self.waits & ~late, cycles + 1, 0)),
            self.silent.eq(late | (self.silent & ~self.over)),
        ]
        return m


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
        m.submodules.requests = self.requests = requests = Stage(address_layout(bus))
        m.submodules.lengths = self.lengths = lengths = Store(unsigned(8), depth=bus.outstanding)
        wiring.connect(m, requests.o, wiring.flipped(self.memory_ar))
        due, beat = Signal(range(bus.outstanding + 1), name="due"), Signal(8, name="beat")
        self.due, self.beat = due, beat
        issued, answered = Signal(name="issued"), Signal(name="answered")
        taken, none_due, space = Signal(name="taken"), Signal(name="none_due"), Signal(name="space")
        m.d.comb += [
            none_due.eq(due == 0),
            # Where it is silent and nothing is late any more, reads wait until all are answered.
            space.eq(lengths.i.ready & Mux(self.silent, ~none_due, requests.i.ready)),
            self.ar.ready.eq(space),
            requests.i.valid.eq(self.ar.valid & space & ~self.silent),
            requests.i.p.eq(self.ar.p),
            lengths.i.valid.eq(self.ar.valid & space),
            lengths.i.p.eq(self.ar.p.length),
            issued.eq(requests.i.valid),
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
        m.submodules.timer = self.timer = timer = SilenceTimer(timeout=bus.timeout)
        m.d.comb += [
            timer.waits.eq(~none_due & ~moves),
            timer.over.eq(none_due & ~lengths.o.valid),
            self.silent.eq(timer.silent),
        ]
        wrong = answered & none_due
        m.d.sync += Assert(~wrong, "reads: the memory must answer only what was requested")
        return m


class WriteGuard(Component):
    """Passes writes to a memory that answers in order, as long as it does so.

    After `bus.timeout` cycles in which the memory owes something and does nothing it is `silent`:
    the guard takes and answers what is owed, and every write that follows, with `SLVERR`. It keeps
    offering what it offered; the burst that it was in the middle of it ends with beats that write
    no byte. It takes late answers away. Once the last has come, and what the guard itself owes is
    answered, writes reach the memory again. Identifiers are 0.

    Latency
    -------
    1 cycle from `aw` and `w` to `memory_aw` and `memory_w`; 0 cycles from `memory_b` to `b`.

    Parameters
    ----------
    bus : BusParameters
        `outstanding` writes under way; `timeout`.

    Members
    -------
    aw : In(stream of address_layout)
        Writes; taken once the data of the one before has been taken.
    w : In(stream of write_data_layout)
        Their data, taken after the address.
    b : Out(stream of write_response_layout)
        Their answers, in order.
    memory_aw, memory_w, memory_b
        The same of the memory.
    silent : Out(1)
        The memory has not answered in time.
    """

    aw: stream.Interface
    w: stream.Interface
    b: stream.Interface
    memory_aw: stream.Interface
    memory_w: stream.Interface
    memory_b: stream.Interface
    silent: Signal

    def __init__(self, *, bus: BusParameters) -> None:
        self._bus = bus
        aw, w = stream.Signature(address_layout(bus)), stream.Signature(write_data_layout(bus))
        b = stream.Signature(write_response_layout(bus))
        ports = {"aw": In(aw), "w": In(w), "b": Out(b)}
        memory = {"memory_aw": Out(aw), "memory_w": Out(w), "memory_b": In(b)}
        super().__init__(ports | memory | {"silent": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus = self._bus
        m.submodules.address = self.address = address = Stage(address_layout(bus))
        wiring.connect(m, address.o, wiring.flipped(self.memory_aw))
        # Of the memory: answers due. Of this guard: answers owed, and a burst that is open.
        due, owed = (Signal(range(bus.outstanding + 1), name=name) for name in ("due", "owed"))
        is_open, none_due, space = (Signal(name=name) for name in ("is_open", "none_due", "space"))
        ended, given, issued = (Signal(name=name) for name in ("ended", "given", "issued"))
        answered = Signal(name="answered")
        self.due, self.owed, self.is_open, self.issued = due, owed, is_open, issued
        lacking = self._data(m, is_open, issued, ended)
        m.d.comb += [
            none_due.eq(due == 0),
            # Where it is silent and nothing is late any more, writes wait until all are answered.
            space.eq(
                ~is_open
                & Mux(
                    self.silent,
                    ~none_due & (owed != bus.outstanding),
                    address.i.ready & (due != bus.outstanding),
                )
            ),
            self.aw.ready.eq(space),
            issued.eq(self.aw.valid & space & ~self.silent),
            address.i.valid.eq(issued),
            address.i.p.eq(self.aw.p),
            self.b.valid.eq((owed != 0) & (self.silent | self.memory_b.valid)),
            self.b.p.response.eq(Mux(self.silent, Response.SLVERR, self.memory_b.p.response)),
            self.memory_b.ready.eq(self.silent | (self.b.ready & (owed != 0))),
            answered.eq(self.memory_b.valid & self.memory_b.ready),
            given.eq(self.b.valid & self.b.ready),
        ]
        with m.If(self.aw.valid & space):
            m.d.sync += is_open.eq(1)
        with m.If(ended):
            m.d.sync += is_open.eq(0)
        m.d.sync += [due.eq(due + issued - answered), owed.eq(owed + ended - given)]
        offers = self.memory_aw.valid | self.memory_w.valid
        moves = (self.memory_aw.valid & self.memory_aw.ready) | self.memory_b.valid
        moves = moves | (self.memory_w.valid & self.memory_w.ready)
        m.submodules.timer = self.timer = timer = SilenceTimer(timeout=bus.timeout)
        m.d.comb += [
            timer.waits.eq((offers | (owed != 0)) & ~moves & ~self.silent),
            timer.over.eq(none_due & (owed == 0) & ~is_open & ~lacking),
            self.silent.eq(timer.silent),
        ]
        wrong = answered & none_due
        m.d.sync += Assert(~wrong, "writes: the memory must answer only what was requested")
        return m

    def _data(self, m: Module, is_open: Signal, issued: Signal, ended: Signal) -> Signal:
        """Data to the memory; whether it lacks beats that were taken while it was silent."""
        layout = write_data_layout(self._bus)
        m.submodules.data = self.data = beats = Stage(layout)
        wiring.connect(m, beats.o, wiring.flipped(self.memory_w))
        # The open burst is known to the memory; beats that it lacks of such a burst.
        known, lacking = Signal(name="known"), Signal(range(257), name="lacking")
        self.known, self.lacking = known, lacking
        fills, swallows = Signal(name="fills"), Signal(name="swallows")
        lacks = Signal(name="lacks")
        m.d.comb += [
            lacks.eq(lacking != 0),
            self.w.ready.eq(is_open & (self.silent | beats.i.ready)),
            ended.eq(self.w.valid & self.w.ready & self.w.p.last),
            swallows.eq(self.silent & known & self.w.valid & self.w.ready),
            # Which beat is the last is known once the burst has ended.
            fills.eq((lacking > 1) | (lacks & ~known)),
            beats.i.valid.eq(Mux(self.silent, fills, self.w.valid & is_open)),
            beats.i.p.data.eq(self.w.p.data),
            beats.i.p.strobe.eq(Mux(self.silent, 0, self.w.p.strobe)),
            beats.i.p.last.eq(Mux(self.silent, lacking == 1, self.w.p.last)),
        ]
        with m.If(issued | ended):
            m.d.sync += known.eq(issued)
        filled = self.silent & fills & beats.i.ready
        m.d.sync += lacking.eq(lacking + swallows - filled)
        return lacks
