"""The top of the self-test: a network, its node test, a tally and a UART."""

from math import log2

from amaranth.hdl import Cat, Module, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork.emit import EmittedNetwork
from knotwork.gateware import network_signature
from knotwork.network import Network

from .fault import Fault
from .node_test import NetworkComponent, WindowControl
from .registered import RegisteredNetwork
from .registry import self_test_of
from .tally import Tally
from .uart import UartTransmitter
from .window_line import WindowLineWriter


def usual_rounds_log2(cycles: int, clock_hz: int) -> int:
    """Logarithm of the rounds, each of about `cycles` cycles, that take about half a second."""
    return max(0, round(log2(clock_hz / 2 / cycles)))


class SelfTest(wiring.Component):
    """Network with a source and a sink at each node, which reports the outcome by UART and LEDs.

    In a window each node sends the packets of ``2 ** rounds_log2`` rounds; the node test of the
    router class says what a round is (`RouterSelfTest.node_test`). A window ends when no packet has
    come or gone for a while, so a network that stands still fails and does not hang the test. Then
    the self-test writes the window's line (`WindowLineWriter`) and begins the next window.

    Parameters
    ----------
    network : Network
        Network under test.
    fabric : NetworkComponent, optional
        Component of the network; an `EmittedNetwork` if unnamed.
    clock_hz : int
        Frequency of the clock.
    baud : int
        Bits per second on the UART.
    rounds_log2 : int, optional
        Length of a window; about half a second if unnamed.
    quiet_log2 : int
        Logarithm of the cycles without a packet after which a window has ended; the node test may
        ask for more.
    faults : bool
        Adds an input `fault`: node 0 injects that fault once per window.

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
        The network cannot test itself, or the clock cannot give the baud rate.
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
        fabric: NetworkComponent | None = None,
        clock_hz: int,
        baud: int = 115200,
        rounds_log2: int | None = None,
        quiet_log2: int = 12,
        faults: bool = False,
    ) -> None:
        self._network = network
        self._node_test = self_test_of(network).node_test(network)
        if fabric is None:
            fabric = EmittedNetwork(network, restartable=self._node_test.restarts)
        if self._node_test.registered:
            fabric = RegisteredNetwork(fabric, network_signature(network))
        self._fabric = fabric
        self._uart = UartTransmitter(clock_hz=clock_hz, baud=baud)
        if rounds_log2 is None:
            cycles = self._node_test.packets_per_round * self._node_test.cycles_per_packet
            rounds_log2 = usual_rounds_log2(cycles, clock_hz)
        self._rounds_log2 = rounds_log2
        self._quiet_log2 = quiet_log2
        self._faults = faults
        ports = {"tx": Out(1), "led_alive": Out(1), "led_pass": Out(1), "led_fail": Out(1)}
        super().__init__(ports | ({"fault": In(Fault)} if faults else {}))

    @property
    def packets(self) -> int:
        """Packets that all nodes together send in a window; every copy counts as one."""
        return self._node_test.packets_of_all << self._rounds_log2

    def elaborate(self, platform: object) -> Module:
        """Clear the sinks, run the sources until all is quiet, write the line; over and over."""
        del platform
        m = Module()
        restart = Signal()
        network = ResetInserter(restart)(self._fabric) if self._node_test.restarts else self._fabric
        m.submodules.network = network
        m.submodules.uart = self._uart
        m.submodules.tally = tally = Tally(nodes=self._network.topology.nodes, packets=self.packets)
        m.submodules.reporter = line = WindowLineWriter(name=self._network.name, width=tally.width)
        wiring.connect(m, line.o, self._uart.i)

        start, clear = Signal(), Signal()
        timer = Signal(max(self._quiet_log2, self._node_test.timer_width))
        window = Signal(tally.width)
        quiet = timer[min(self._node_test.pause_log2, len(timer) - 1) :].any()
        fault = self.fault if self._faults else None
        control = WindowControl(
            start=start, clear=clear, timer=timer, quiet=quiet, restart=restart, fault=fault
        )
        events = self._node_test.place(m, self._fabric, control, rounds_log2=self._rounds_log2)
        m.d.sync += [getattr(tally, event).eq(Cat(bits)) for event, bits in events.items()]
        m.d.sync += restart.eq(0)
        m.d.comb += [
            tally.refused.eq(self._fabric.refused),
            tally.clear.eq(clear),
            line.window.eq(window),
            line.counts.eq(tally.counts),
            line.passed.eq(tally.passed),
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
                    m.d.comb += line.start.eq(1)
                    m.next = "REPORT"
            with m.State("REPORT"):
                m.d.sync += timer.eq(0)
                with m.If(~line.busy):
                    if self._node_test.restarts:
                        m.d.sync += restart.eq(~tally.passed)
                    m.d.sync += [
                        window.eq(window + 1),
                        self.led_pass.eq(tally.passed & ~self.led_fail),
                        self.led_fail.eq(~tally.passed | self.led_fail),
                    ]
                    m.next = "CLEAR"
        return m
