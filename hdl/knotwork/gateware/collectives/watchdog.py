"""Watchdog of a group: which members keep the others waiting for too long."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import Component


class CollectiveWatchdog(Component):
    """Finds members for whose message the group has waited for a bound of cycles without a pause.

    A timer runs from bound to bound. A member is late at its end if the group has waited for it in
    every cycle since it began: so two flip-flops per member are enough.

    Latency
    -------
    A member is late once the group has waited for at least `bound` cycles, and at most twice as
    many; until the cycle after its message came.

    Parameters
    ----------
    members : int
        Members of the group.
    bound : int
        Cycles, at least 1.

    Members
    -------
    waits : In(members)
        The group waits for a message of the member.
    late : Out(members)
        It has waited for too long.
    elapsed : Signal
        Cycles of this bound before this one.
    waited : Signal
        Members for whom the group has waited in all of them.
    """

    waits: Signal
    late: Signal

    def __init__(self, *, members: int, bound: int) -> None:
        self._bound = bound
        self.elapsed = Signal(range(bound), name="elapsed")
        self.waited = Signal(members, name="waited")
        super().__init__({"waits": In(members), "late": Out(members)})

    @property
    def variant(self) -> str:
        return f"{len(self.waits)}"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ends, still = Signal(name="ends"), Signal(len(self.waits), name="still")
        m.d.comb += [
            ends.eq(self.elapsed == self._bound - 1),
            still.eq(self.waited & self.waits),
        ]
        m.d.sync += [
            self.elapsed.eq(Mux(ends, 0, self.elapsed + 1)),
            self.waited.eq(still | ends.replicate(len(still))),
            self.late.eq(self.waits & (self.late | (still & ends.replicate(len(still))))),
        ]
        return m
