"""Whether a clock runs."""

from amaranth.hdl import Module, Signal
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import Out
from knotwork.gateware.component import Component


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
        asked, there, back = (Signal(name=name) for name in ("asked", "there", "back"))
        m.submodules.there_cdc = FFSynchronizer(asked, there, o_domain=self._domain)
        m.submodules.back_cdc = FFSynchronizer(there, back)
        cycles = Signal(range(self._timeout + 1))
        with m.If(back == asked):
            m.d.sync += [asked.eq(~asked), cycles.eq(0), self.stopped.eq(0)]
        with m.Elif(cycles == self._timeout):
            m.d.sync += self.stopped.eq(1)
        with m.Else():
            m.d.sync += cycles.eq(cycles + 1)
        return m
