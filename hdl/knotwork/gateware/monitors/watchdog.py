"""What finds channels that wait for too long."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import Component


class Watchdog(Component):
    """Finds channels that have waited for a bound of cycles without a pause, and keeps the picture.

    A timer runs from bound to bound. A channel is found at its end if it has waited in every cycle
    since it began: so a flip-flop per channel is enough.

    Latency
    -------
    A channel is found once it has waited for at least `bound` cycles, and at most twice as many.

    Parameters
    ----------
    channels : int
        Channels that may wait.
    turns : int
        Bits of `wants`.

    Members
    -------
    waits : In(channels)
        Which channels wait in this cycle.
    wants : In(turns)
        For what, as a reader needs to know.
    bound : In(32)
        Cycles; 0 stops the watchdog.
    restart : In(1)
        The timer begins again, as `bound` changes.
    rearm : In(1)
        Forget what was found.
    alarm : Out(1)
        A channel was found; what was found then stays until `rearm`.
    stuck, waiting : Out(channels)
        Which were found, and which waited in that cycle.
    wanted : Out(turns)
        `wants` of that cycle.
    """

    waits: Signal
    wants: Signal
    bound: Signal
    restart: Signal
    rearm: Signal
    alarm: Signal
    stuck: Signal
    waiting: Signal
    wanted: Signal

    def __init__(self, *, channels: int, turns: int) -> None:
        super().__init__(
            {
                "waits": In(channels),
                "wants": In(turns),
                "bound": In(32),
                "restart": In(1),
                "rearm": In(1),
                "alarm": Out(1),
                "stuck": Out(channels),
                "waiting": Out(channels),
                "wanted": Out(turns),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        passed = Signal(32, init=1, name="passed")  # cycles of this bound, this one included
        ends, found = Signal(name="ends"), Signal(name="found")
        since = Signal(len(self.waits), name="since")  # waited in all of them before this one
        still = Signal(len(self.waits), name="still")
        m.d.comb += [
            ends.eq((passed == self.bound) & ~self.restart),
            still.eq(since & self.waits),
            found.eq(ends & still.any() & ~self.alarm),
        ]
        m.d.sync += [
            passed.eq(Mux(ends | self.restart | (self.bound == 0), 1, passed + 1)),
            since.eq(still | (ends | self.restart).replicate(len(since))),
        ]
        with m.If(self.rearm):
            m.d.sync += self.alarm.eq(0)
        with m.Elif(found):
            m.d.sync += [
                self.alarm.eq(1),
                self.stuck.eq(still),
                self.waiting.eq(self.waits),
                self.wanted.eq(self.wants),
            ]
        return m
