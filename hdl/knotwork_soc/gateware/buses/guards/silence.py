"""Tells a memory that has fallen silent."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component


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
        m.d.comb += late.eq(self.waits & (cycles == self._timeout - 1))
        m.d.sync += [
            cycles.eq(Mux(self.waits & ~late, cycles + 1, 0)),
            self.silent.eq(late | (self.silent & ~self.over)),
        ]
        return m
