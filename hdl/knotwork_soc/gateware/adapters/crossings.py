"""Crossings between two clocks: of streams, events and resets; and whether a clock runs."""

from collections.abc import Hashable

from amaranth.hdl import (
    Cat,
    ClockDomain,
    ClockSignal,
    Module,
    ResetSignal,
    ShapeLike,
    Signal,
    Value,
)
from amaranth.lib import stream
from amaranth.lib.cdc import AsyncFFSynchronizer, FFSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from knotwork.errors import ConfigurationError
from knotwork.gateware.component import Component

FULL_RATE = 8
"""Words with which a crossing between equal clocks never waits for its pointers."""


def require_depth(part: str, depth: int) -> int:
    """Words of a crossing whose pointers go round by themselves.

    Raises
    ------
    ConfigurationError
        Any other number.
    """
    if depth < 4 or depth & depth - 1:
        raise ConfigurationError(f"{part}: depth must be a power of two of at least 4, not {depth}")
    return depth


class Crossing(Component):
    """Asynchronous FIFO between two clocks that need not know of each other.

    Its pointers cross in Gray code, by two registers each: Amaranth's `AsyncFIFO`. A reset of
    `i_domain` empties it; it must last for 4 cycles of `o_domain`, as `LinkResets` makes it.

    Latency
    -------
    2 to 3 cycles of `o_domain`. One payload per cycle of the slower clock, from 8 words on.

    Parameters
    ----------
    shape : shape
        Payload.
    depth : int
        Words, a power of two of at least 4.
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(stream of shape)
        What comes, at the clock of `i_domain`.
    o : Out(stream of shape)
        What leaves, at that of `o_domain`.

    References
    ----------
    C. Cummings, Simulation and Synthesis Techniques for Asynchronous FIFO Design, SNUG 2002, style
    2.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(
        self,
        *,
        shape: ShapeLike,
        depth: int = FULL_RATE,
        i_domain: str = "sync",
        o_domain: str = "sync",
    ) -> None:
        self._depth = require_depth("crossing", depth)
        self._i_domain, self._o_domain = i_domain, o_domain
        super().__init__(
            {"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))},
        )

    @property
    def parameters(self) -> Hashable:
        """Bits of the payload, depth, clocks."""
        return len(Value.cast(self.i.payload)), self._depth, self._i_domain, self._o_domain

    def elaborate(self, platform: object) -> Module:
        m = Module()
        into, out = Value.cast(self.i.payload), Value.cast(self.o.payload)
        m.submodules.fifo = self.fifo = fifo = AsyncFIFO(
            width=len(into), depth=self._depth, w_domain=self._i_domain, r_domain=self._o_domain
        )
        m.d.comb += [
            fifo.w_data.eq(into),
            fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(fifo.w_rdy),
            out.eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
        ]
        return m


class EventCrossing(Component):
    """Pulses from one clock to another: each comes out once, whatever the clocks' ratio.

    A Gray counter of the pulses crosses; what it is ahead comes out, a pulse per cycle. Up to
    ``2^width - 1`` pulses wait. Both domains must be reset together.

    Latency
    -------
    3 to 4 cycles of `o_domain` if none waits.

    Parameters
    ----------
    width : int
        Bits of the counter.
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(1)
        High for one cycle per event, also in cycles that follow each other.
    o : Out(1)
        The same at the other clock.
    """

    i: Signal
    o: Signal

    def __init__(self, *, width: int = 6, i_domain: str = "sync", o_domain: str = "sync") -> None:
        self._width, self._i_domain, self._o_domain = width, i_domain, o_domain
        super().__init__({"i": In(1), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, gray, following, crossed, emitted = (
            Signal(self._width, name=name)
            for name in ("count", "gray", "following", "crossed", "emitted")
        )
        self.count, self.gray, self.emitted = count, gray, emitted
        m.d.comb += following.eq(count + self.i)
        m.d[self._i_domain] += [count.eq(following), gray.eq(following ^ following[1:])]
        m.submodules.gray_cdc = self.gray_cdc = FFSynchronizer(
            gray, crossed, o_domain=self._o_domain
        )
        ahead = Signal()
        m.d.comb += ahead.eq(crossed != (emitted ^ emitted[1:]))
        m.d[self._o_domain] += self.o.eq(ahead)
        with m.If(ahead):
            m.d[self._o_domain] += emitted.eq(emitted + 1)
        return m


SLOTS = 4
"""Places of a ring: a pulse stays in its own for so many cycles."""
_START = SLOTS + 1
"""Place that is read two cycles after the mark was seen to rise: it was written a cycle before."""


class PhaseRing(Component):
    """Pulses from one clock to another of the same frequency, by time alone.

    Each cycle writes one of four places in turn, and each cycle of the other clock reads one in
    turn, a cycle or more after it was written and two or more before it is written again. So no
    register reads what changes, though nothing but the mark, the ring's turns, is synchronised.
    The reader finds its place once after its reset, by the mark, and later compares with it: if the
    clocks come apart by two cycles it has slipped, and stays so until it is reset.

    The writing side has no reset. Its input must be low while it resets what drives it.

    Latency
    -------
    1 to 2 cycles, as the phase is; of this, the delay of the wires and what the clocks wander
    against each other may together take a cycle.

    Parameters
    ----------
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(1)
        Pulses, one cycle each.
    o : Out(1)
        The same at the other clock; none until `aligned`, nor once it has `slipped`.
    aligned : Out(1)
        The reader has found its place.
    slipped : Out(1)
        The clocks have come apart.

    References
    ----------
    W. Dally and J. Poulton, Digital Systems Engineering, 1998, section 10.3: synchronisers of
    clocks with one frequency.
    """

    i: Signal
    o: Signal
    aligned: Signal
    slipped: Signal

    def __init__(self, *, i_domain: str = "sync", o_domain: str = "sync") -> None:
        self._i_domain, self._o_domain = i_domain, o_domain
        super().__init__({"i": In(1), "o": Out(1), "aligned": Out(1), "slipped": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        writes, reads = m.d[self._i_domain], m.d[self._o_domain]
        turn, slots = (
            Signal(bits, name=name, reset_less=True)
            for bits, name in ((SLOTS.bit_length(), "turn"), (SLOTS, "slots"))
        )
        self.turn, self.slots = turn, slots
        writes += turn.eq(turn + 1)
        with m.Switch(turn[:-1]):
            for place in range(SLOTS):
                with m.Case(place):
                    writes += slots[place].eq(self.i)
        # What is seen when a reset ends may have risen long before.
        seen, earlier = Signal(name="seen"), Signal(name="earlier", init=1)
        m.submodules.mark_cdc = self.mark_cdc = FFSynchronizer(
            turn[-1], seen, o_domain=self._o_domain
        )
        reads += earlier.eq(seen)
        place = Signal.like(turn, name="place")
        self.earlier, self.place = earlier, place
        with m.If(self.aligned):
            reads += place.eq(place + 1)
            # Two places after the mark's changes, and two before, a cycle more or less is nothing.
            with m.If((place[0] ^ place[1]) & (seen != place[-1])):
                reads += self.slipped.eq(1)
        with m.Elif(seen & ~earlier):
            reads += [self.aligned.eq(1), place.eq(_START)]
        now = slots.bit_select(place[:-1], 1)
        m.d.comb += self.o.eq(self.aligned & ~self.slipped & now)
        return m


class MesochronousCrossing(Component):
    """FIFO between two clocks of the same frequency, of which nothing waits for synchronisers.

    Words cross in a memory; that one has come, or left, crosses as a pulse of a `PhaseRing`.
    Nothing crosses until both rings have found their places. Both domains must be reset together,
    as `LinkResets` does.

    Latency
    -------
    1 to 2 cycles, as the phase is. One payload per cycle, from 8 words on.

    Parameters
    ----------
    shape : shape
        Payload.
    depth : int
        Words, a power of two of at least 4.
    i_domain, o_domain : str
        Clocks of `i` and of `o`.

    Members
    -------
    i : In(stream of shape)
        What comes, at the clock of `i_domain`.
    o : Out(stream of shape)
        What leaves, at that of `o_domain`.
    slipped : Out(1)
        The clocks have come apart; at that of `o_domain`. Until a reset nothing leaves then, and
        of what left a moment before words may be missing, doubled or wrong.
    """

    i: stream.Interface
    o: stream.Interface
    slipped: Signal

    def __init__(
        self,
        *,
        shape: ShapeLike,
        depth: int = FULL_RATE,
        i_domain: str = "sync",
        o_domain: str = "sync",
    ) -> None:
        self._depth = require_depth("mesochronous crossing", depth)
        self._i_domain, self._o_domain = i_domain, o_domain
        words = stream.Signature(shape)
        super().__init__({"i": In(words), "o": Out(words), "slipped": Out(1)})

    @property
    def parameters(self) -> Hashable:
        """Bits of the payload, depth, clocks."""
        return len(Value.cast(self.i.payload)), self._depth, self._i_domain, self._o_domain

    def elaborate(self, platform: object) -> Module:
        m = Module()
        puts, takes = m.d[self._i_domain], m.d[self._o_domain]
        into, out = Value.cast(self.i.payload), Value.cast(self.o.payload)
        here, there = self._i_domain, self._o_domain
        m.submodules.words = words = Memory(shape=len(into), depth=self._depth, init=[])
        write, read = words.write_port(domain=here), words.read_port(domain="comb")
        m.submodules.come = self.come = come = PhaseRing(i_domain=here, o_domain=there)
        m.submodules.gone = self.gone = gone = PhaseRing(i_domain=there, o_domain=here)
        # `free`: places that the sender knows of; `owed`: those still to be reported to it.
        count = range(self._depth + 1)
        free, put = Signal(count, name="free"), Signal(range(self._depth), name="put")
        held, taken = Signal(count, name="held"), Signal(range(self._depth), name="taken")
        owed, is_open = Signal(count, name="owed", init=self._depth), Signal(name="is_open")
        self.free, self.put, self.held, self.taken, self.owed = free, put, held, taken, owed
        self.read_word = read.data
        m.submodules.open_cdc = self.open_cdc = FFSynchronizer(
            gone.aligned, is_open, o_domain=there
        )
        leaves = Signal(name="leaves")
        m.d.comb += [
            self.i.ready.eq(free.any()),
            come.i.eq(self.i.valid & self.i.ready),
            Cat(write.addr, write.data, write.en).eq(Cat(put, into, come.i)),
            read.addr.eq(taken),
            self.o.valid.eq(held.any() & ~come.slipped),
            out.eq(read.data),
            leaves.eq(self.o.valid & self.o.ready),
            gone.i.eq(owed.any() & is_open & come.aligned),
            self.slipped.eq(come.slipped),
        ]
        puts += [free.eq(free + gone.o - come.i), put.eq(put + come.i)]
        takes += [
            held.eq(held + come.o - leaves),
            taken.eq(taken + leaves),
            owed.eq(owed + leaves - gone.i),
        ]
        return m


HELD = 4
"""Cycles of each clock for which both sides of a crossing are in reset at once."""


class ResetRelease(Component):
    """Reset that begins at once, also without a clock, and ends at a clock's edge.

    Latency
    -------
    0 cycles to its begin, 2 to its end.

    Parameters
    ----------
    active_low : bool
        The pin is low while there is a reset.
    domain : str
        Clock at whose edge it ends.

    Members
    -------
    i : In(1)
        Pin, at any time.
    o : Out(1)
        Reset, active high.
    """

    i: Signal
    o: Signal

    def __init__(self, *, active_low: bool = False, domain: str = "sync") -> None:
        self._active_low, self._domain = active_low, domain
        super().__init__({"i": In(1), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        requested = Signal()
        m.d.comb += requested.eq(~self.i if self._active_low else self.i)
        m.submodules.release = self.release = AsyncFFSynchronizer(
            requested, self.o, o_domain=self._domain
        )
        return m


class LinkResets(Component):
    """Resets of the two sides of crossings between the network's clock and a node's own.

    A reset of either domain, however short, resets both sides, which meet in it: both are held for
    at least 4 cycles of the network's clock, so that no pointer is read while it jumps. If the
    node's clock stands still, the network's side stays in reset after a reset of the network until
    the clock runs.

    Latency
    -------
    `port` begins at once; `plane` some cycles of both clocks later.

    Parameters
    ----------
    domain : str
        Node's clock; that of the network is ``sync``.

    Members
    -------
    port : Out(1)
        Reset of the node's side; begins at any time, ends at an edge of the node's clock.
    plane : Out(1)
        Reset of the network's side, a register of its clock.
    """

    port: Signal
    plane: Signal

    def __init__(self, *, domain: str = "node") -> None:
        self._domain = domain
        super().__init__({"port": Out(1), "plane": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        domain = self._domain
        m.domains.at_once = ClockDomain("at_once", async_reset=True, local=True)
        # Held from a reset of either side until the network's side has answered the request.
        held, request = Signal(name="held", init=1), Signal(name="request", reset_less=True)
        seen, answered = Signal(name="seen"), Signal(name="answered")
        # No reset ends a handshake: its other side would go on with half of it.
        answer = Signal(name="answer", reset_less=True)
        cycles = Signal(range(HELD + 1), name="cycles", reset_less=True)
        self.held, self.request, self.answer, self.cycles = held, request, answer, cycles
        m.d.comb += [
            ClockSignal("at_once").eq(ClockSignal(domain)),
            ResetSignal("at_once").eq(
                ResetSignal("sync", allow_reset_less=True)
                | ResetSignal(domain, allow_reset_less=True)
            ),
        ]
        m.d.at_once += held.eq(held & ~(request & answered))
        m.d[domain] += request.eq(held & (request | ~answered))
        self.answer_cdc = FFSynchronizer(answer, answered, o_domain=domain)
        self.request_cdc = FFSynchronizer(request, seen)
        self.release = AsyncFFSynchronizer(held, self.port, o_domain=domain, stages=HELD)
        m.submodules.answer_cdc, m.submodules.request_cdc = self.answer_cdc, self.request_cdc
        m.submodules.release = self.release

        waits, met = Signal(name="waits", init=1), Signal(name="met")
        self.waits = waits
        m.d.comb += met.eq(cycles == HELD)
        with m.If(seen & ~met):
            m.d.sync += cycles.eq(cycles + 1)
        with m.Elif(~seen & (cycles != 0)):
            m.d.sync += cycles.eq(cycles - 1)
        with m.If(met):
            m.d.sync += waits.eq(0)
        plane = Signal(name="in_reset", init=1)
        m.d.sync += [answer.eq(met), plane.eq(waits | seen | (cycles != 0))]
        m.d.comb += self.plane.eq(plane)
        return m


class ClockWatch(Component):
    """Asks another clock for answers: one that gives none within `timeout` cycles has stopped.

    Works at any ratio of the clocks. A clock counts as running if 3 of its periods, and 3 cycles
    of the network's, take no longer than `timeout` cycles.

    Latency
    -------
    `stopped` rises at most ``timeout + 5`` cycles after the clock's last edge, and falls at most
    4 cycles after its third edge.

    Parameters
    ----------
    timeout : int
        Cycles of ``sync``.
    domain : str
        Clock to watch.

    Members
    -------
    stopped : Out(1)
        The clock stands still.
    """

    stopped: Signal

    def __init__(self, *, timeout: int, domain: str = "node") -> None:
        self._timeout, self._domain = timeout, domain
        super().__init__({"stopped": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        requested, there, back = (Signal(name=name) for name in ("requested", "there", "back"))
        self.there_cdc = FFSynchronizer(requested, there, o_domain=self._domain)
        self.back_cdc = FFSynchronizer(there, back)
        m.submodules.there_cdc, m.submodules.back_cdc = self.there_cdc, self.back_cdc
        cycles = Signal(range(self._timeout + 1), name="cycles")
        self.requested, self.cycles = requested, cycles
        with m.If(back == requested):
            m.d.sync += [requested.eq(~requested), cycles.eq(0), self.stopped.eq(0)]
        with m.Elif(cycles == self._timeout):
            m.d.sync += self.stopped.eq(1)
        with m.Else():
            m.d.sync += cycles.eq(cycles + 1)
        return m
