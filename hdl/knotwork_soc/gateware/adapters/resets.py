"""Resets of two clocks that a crossing joins, and of one clock from a pin."""

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib.cdc import AsyncFFSynchronizer, FFSynchronizer
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

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
        asked = Signal()
        m.d.comb += asked.eq(~self.i if self._active_low else self.i)
        m.submodules.release = AsyncFFSynchronizer(asked, self.o, o_domain=self._domain)
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
        m.domains.asked = ClockDomain("asked", async_reset=True, local=True)
        # Held from a reset of either side until the network's side has answered the request.
        held, request = Signal(name="held", init=1), Signal(name="request", reset_less=True)
        seen, answered = Signal(name="seen"), Signal(name="answered")
        # No reset ends a handshake: its other side would go on with half of it.
        answer = Signal(name="answer", reset_less=True)
        cycles = Signal(range(HELD + 1), name="cycles", reset_less=True)
        m.d.comb += [
            ClockSignal("asked").eq(ClockSignal(domain)),
            ResetSignal("asked").eq(
                ResetSignal("sync", allow_reset_less=True)
                | ResetSignal(domain, allow_reset_less=True)
            ),
        ]
        m.d.asked += held.eq(held & ~(request & answered))
        m.d[domain] += request.eq(held & (request | ~answered))
        m.submodules.answer_cdc = FFSynchronizer(answer, answered, o_domain=domain)
        m.submodules.request_cdc = FFSynchronizer(request, seen)
        m.submodules.release = AsyncFFSynchronizer(held, self.port, o_domain=domain, stages=HELD)

        waits, met = Signal(name="waits", init=1), Signal(name="met")
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
