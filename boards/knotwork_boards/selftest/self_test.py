"""The network, and around it what proves on a board that it works."""

from math import log2
from typing import Any

from amaranth.hdl import Cat, Module, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.emit import EmittedNetwork
from knotwork.network import Network

from .batch.node_test import BatchBench
from .circuit.node_test import CircuitBench
from .node_test import Bench, WindowControl
from .packet.fault import Fault
from .packet.node_test import PacketBench
from .tally import Tally
from .uart import UartTransmitter
from .window_line import Reporter

BENCHES: dict[str, type[Bench]] = {
    "packet": PacketBench,
    "batch": BatchBench,
    "circuit": CircuitBench,
}
"""Bench by the class of routers that a routing names."""

PAUSE_LOG2 = 6
"""Logarithm of the clocks without a packet after which none is on its way in a sound network."""


def usual_rounds_log2(clocks: int, clock_hz: int) -> int:
    """Logarithm of the rounds, each of about so many clocks, that take about half a second."""
    return max(0, round(log2(clock_hz / 2 / clocks)))


class SelfTest(wiring.Component):
    """Network with a source and a sink at each node, and a report by UART and LEDs.

    In a window each node sends the packets of ``2 ** rounds_log2`` rounds; of what a round is made
    says the bench (`PacketBench`, `BatchBench`, `CircuitBench`). A window ends when no packet has
    come or gone for a while, so a network that stands still fails and does not hang the test. Then
    its line is written (see `Reporter`), and the next window begins.

    Parameters
    ----------
    network : Network
        Network under test.
    fabric : Component, optional
        Ports of `knotwork.gateware.Fabric`; an `EmittedNetwork` if unnamed.
    clock_hz : int
        Clock.
    baud : int
        Bits a second of the UART.
    rounds_log2 : int, optional
        Length of a window; about half a second if unnamed.
    quiet_log2 : int
        Logarithm of the clocks without a packet after which a window has ended; more if the bench
        needs them.
    faults : bool
        Adds an input `fault` by which node 0 does wrong once a window.

    Members
    -------
    tx : Out(1)
        UART.
    led_alive : Out(1)
        Changes with every window.
    led_pass : Out(1)
        A window has passed and none has failed.
    led_fail : Out(1)
        A window has failed.
    fault : In(Fault)
        Present with `faults`.

    Raises
    ------
    ConfigurationError
        The data width is too small, or the clock does not give the baud rate.
    """

    tx: Value
    led_alive: Value
    led_pass: Value
    led_fail: Value
    fault: Value

    def __init__(
        self,
        network: Network,
        *,
        fabric: Any = None,
        clock_hz: int,
        baud: int = 115200,
        rounds_log2: int | None = None,
        quiet_log2: int = 12,
        faults: bool = False,
    ) -> None:
        self._network = network
        self._bench = BENCHES[network.routing.router](network)
        if fabric is None:
            fabric = EmittedNetwork(network, restartable=self._bench.restarts)
        self._fabric: Any = fabric
        self._uart = UartTransmitter(clock_hz=clock_hz, baud=baud)
        if rounds_log2 is None:
            clocks = self._bench.packets_a_round * self._bench.clocks_a_packet
            rounds_log2 = usual_rounds_log2(clocks, clock_hz)
        self._rounds_log2 = rounds_log2
        self._quiet_log2 = quiet_log2
        self._faults = faults
        ports = {"tx": Out(1), "led_alive": Out(1), "led_pass": Out(1), "led_fail": Out(1)}
        super().__init__(ports | ({"fault": In(Fault)} if faults else {}))

    @property
    def packets(self) -> int:
        """Packets of a window, of all nodes, each copy counted as one."""
        return self._network.topology.nodes * self._bench.packets_a_round << self._rounds_log2

    def elaborate(self, platform: object) -> Module:
        """Clear the sinks, run the sources until all is quiet, report; over and over."""
        del platform
        m = Module()
        restart = Signal()
        network = ResetInserter(restart)(self._fabric) if self._bench.restarts else self._fabric
        m.submodules.network = network
        m.submodules.uart = self._uart
        m.submodules.tally = tally = Tally(nodes=self._network.topology.nodes, packets=self.packets)
        m.submodules.reporter = reporter = Reporter(name=self._network.name, width=tally.width)
        wiring.connect(m, reporter.o, self._uart.i)

        start, clear = Signal(), Signal()
        timer = Signal(max(self._quiet_log2, self._bench.timer_width))
        window = Signal(tally.width)
        quiet = timer[min(PAUSE_LOG2, len(timer) - 1) :].any()
        fault = self.fault if self._faults else None
        control = WindowControl(
            start=start, clear=clear, timer=timer, quiet=quiet, restart=restart, fault=fault
        )
        events = self._bench.place(m, self._fabric, control, rounds_log2=self._rounds_log2)
        m.d.comb += [getattr(tally, event).eq(Cat(bits)) for event, bits in events.items()]
        m.d.comb += [
            tally.refused.eq(self._fabric.refused),
            tally.clear.eq(clear),
            reporter.window.eq(window),
            reporter.counts.eq(tally.counts),
            reporter.passed.eq(tally.passed),
            self.tx.eq(self._uart.tx),
            self.led_alive.eq(window[0]),
        ]
        m.d.sync += timer.eq(timer + 1)
        with m.FSM():
            with m.State("CLEAR"):
                m.d.comb += clear.eq(1)
                with m.If(timer.all()):
                    m.d.comb += start.eq(1)
                    m.next = "RUN"
            with m.State("RUN"):
                with m.If(tally.active):
                    m.d.sync += timer.eq(0)
                with m.Elif(timer.all()):
                    m.d.comb += reporter.start.eq(1)
                    m.next = "REPORT"
            with m.State("REPORT"):
                m.d.sync += timer.eq(0)
                with m.If(~reporter.busy):
                    if self._bench.restarts:
                        m.d.comb += restart.eq(~tally.passed)
                    m.d.sync += [
                        window.eq(window + 1),
                        self.led_pass.eq(tally.passed & ~self.led_fail),
                        self.led_fail.eq(~tally.passed | self.led_fail),
                    ]
                    m.next = "CLEAR"
        return m
