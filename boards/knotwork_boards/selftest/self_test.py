"""The top of the self-test: a network, its node test, a tally and a UART, window after window."""

import os
from collections.abc import Mapping
from math import log2

from amaranth.hdl import Cat, Const, Module, ResetInserter, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from knotwork.emit import EmittedNetwork, network_verilog
from knotwork.gateware import network_signature
from knotwork.network import Network

from ..measuring import COLLECTIVE_COUNTERS, LINE_WORDS, TIME_WIDTH
from .batch import BatchSelfTest
from .circuit import CircuitSelfTest
from .collectives import CollectiveTest
from .deflection import DeflectionSelfTest
from .measure import NO_HOST, Host, Measurement, TableHost
from .node_test import (
    Fault,
    NetworkComponent,
    NodeTest,
    RouterSelfTest,
    TableCommands,
    WindowControl,
    require_measuring,
)
from .packet import PacketSelfTest
from .registered import RegisteredNetwork
from .tally import COUNTERS, Tally
from .uart import UartTransmitter, uart_divisor
from .window_line import make_line_writer


class Windows(wiring.Component):
    """Sequence of a window: clear the sinks, run the sources until all is quiet, write the line.

    Parameters
    ----------
    width : int
        Width of a window's number.
    timer_width : int
        Logarithm of the cycles without a packet after which a window has ended.
    restarts : bool
        Whether the network is reset after a window that failed.

    Members
    -------
    active : In(1)
        A packet came or went.
    busy : In(1)
        More packets will be created.
    passed : In(1)
        Verdict, once all is quiet.
    writing : In(1)
        The line is being written.
    anew_each : In(1)
        The network is reset before the window.
    going, anew : In(1)
        See `measure.Host`.
    clear, start : Out(1)
        See `WindowControl`.
    timer : Out(timer_width)
        See there.
    restart : Out(1)
        Resets the network.
    take : Out(1)
        Pulse before `clear`.
    write : Out(1)
        Pulse that begins the line.
    number : Out(width)
        Number of the window.
    led_pass, led_fail : Out(1)
        See `SelfTest`.
    """

    active: Value
    busy: Value
    passed: Value
    writing: Value
    anew_each: Value
    going: Value
    anew: Value
    clear: Value
    start: Value
    timer: Value
    restart: Value
    take: Value
    write: Value
    number: Value
    led_pass: Value
    led_fail: Value

    def __init__(self, *, width: int, timer_width: int, restarts: bool) -> None:
        self._restarts = restarts
        inputs = ("active", "busy", "passed", "writing", "anew_each", "going", "anew")
        outputs = ("clear", "start", "restart", "take", "write", "led_pass", "led_fail")
        super().__init__(
            {
                **dict.fromkeys(inputs, In(1)),
                **dict.fromkeys(outputs, Out(1)),
                "timer": Out(timer_width),
                "number": Out(width),
            }
        )

    def connect_host(self, m: Module, measurement: Measurement | TableHost | None) -> Host:
        """Connect what takes commands, if anything; return what decides over them."""
        host = NO_HOST
        if measurement is not None:
            m.submodules.measurement = measurement
            host = measurement.host
            m.d.comb += [
                measurement.take.eq(self.take),
                measurement.clear.eq(self.clear),
                measurement.start.eq(self.start),
                measurement.line_begins.eq(self.write),
            ]
        m.d.comb += [
            self.busy.eq(host.busy),
            self.anew_each.eq(host.measures),
            self.going.eq(host.going),
            self.anew.eq(host.anew),
        ]
        return host

    def elaborate(self, platform: object) -> Module:
        """Three states, and one in which a host may let it wait."""
        del platform
        m = Module()
        timer = self.timer
        m.d.sync += [timer.eq(timer + 1), self.restart.eq(0)]
        with m.FSM():
            with m.State("CLEAR"):
                m.d.comb += self.clear.eq(1)
                m.d.sync += self.restart.eq(self.anew_each & (timer == 1))
                with m.If(timer.all()):
                    m.d.comb += self.start.eq(1)
                    m.next = "RUN"
            with m.State("RUN"):
                with m.If(self.active | self.busy):
                    m.d.sync += timer.eq(0)
                with m.Elif(timer.all()):
                    m.d.comb += self.write.eq(1)
                    m.next = "REPORT"
            with m.State("REPORT"), m.If(~self.writing):
                if self._restarts:
                    m.d.sync += self.restart.eq(~self.passed)
                m.d.sync += [
                    self.number.eq(self.number + 1),
                    self.led_pass.eq(self.passed & ~self.led_fail),
                    self.led_fail.eq(~self.passed | self.led_fail),
                ]
                m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += timer.eq(0)
                with m.If(self.going):
                    m.d.comb += self.take.eq(1)
                    m.next = "CLEAR"
        with m.If(self.take & self.anew):
            m.d.sync += [self.number.eq(0), self.led_pass.eq(0), self.led_fail.eq(0)]
        return m


SELF_TESTS: dict[str, RouterSelfTest] = {
    "packet": PacketSelfTest(),
    "circuit": CircuitSelfTest(),
    "batch": BatchSelfTest(),
    "deflection": DeflectionSelfTest(),
}
"""Self-test by router class."""


def self_test_of(network: Network) -> RouterSelfTest:
    """Entry of the network's router class."""
    return SELF_TESTS[network.router_class]


def usual_rounds_log2(cycles: int, clock_hz: int) -> int:
    """Logarithm of the rounds, each of about `cycles` cycles, that take about half a second."""
    return max(0, round(log2(clock_hz / 2 / cycles)))


class SelfTest(wiring.Component):
    """Network with a source and a sink at each node, which reports the outcome by UART and LEDs.

    In a window each node sends the packets of ``2 ** rounds_log2`` rounds; the node test of the
    router class says what a round is (`RouterSelfTest.node_test`). Groups that have collectives run
    as many rounds of them (`CollectiveTest`). A window ends when no packet has come or gone for a
    while, so a network that stands still fails and does not hang the test. Then the self-test
    writes the window's line (`WindowLineWriter`) and begins the next window.

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
        Logarithm of the cycles without a packet that end a window; the node test may require more.
    faults : bool
        Adds an input `fault`: node 0 injects that fault once per window.
    measure : bool
        Adds an input `rx`, over which commands come, and windows that measure: `Measurement`.
    tunable : bool
        Adds an input `bit_cycles`, for a clock that is chosen after synthesis, up to `clock_hz`.

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
    rx : In(1)
        UART; present with `measure`.
    bit_cycles : In
        Cycles per bit of the UART less one; constant. Present with `tunable`.

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
    rx: Value
    bit_cycles: Value

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
        measure: bool = False,
        tunable: bool = False,
    ) -> None:
        self._network = network
        self._node_test = self_test_of(network).node_test(network)
        if fabric is None:
            fabric = EmittedNetwork(network, restartable=self._node_test.restarts or measure)
        self._entered: Value = Const(0)
        groups = network.collective_groups
        if self._node_test.registered:
            names = [group.name for group in groups]
            fabric = RegisteredNetwork(fabric, network_signature(network), names)
            self._entered = fabric.entered
        self._fabric = fabric
        if rounds_log2 is None:
            cycles = self._node_test.packets_per_round * self._node_test.cycles_per_packet
            rounds_log2 = usual_rounds_log2(cycles, clock_hz)
        self._rounds_log2 = rounds_log2
        self._collectives = (
            CollectiveTest(groups, rounds_log2=rounds_log2, faults=faults) if groups else None
        )
        self._baud = baud
        self.tunable = tunable
        self._quiet_log2 = quiet_log2
        self._faults = faults
        ports = {"tx": Out(1), "led_alive": Out(1), "led_pass": Out(1), "led_fail": Out(1)}
        ports |= {"fault": In(Fault)} if faults else {}
        ports |= {"rx": In(1, init=1)} if measure else {}  # pyright: ignore[reportCallIssue]
        width = (uart_divisor(clock_hz=clock_hz, baud=baud) - 1).bit_length()
        super().__init__(ports | ({"bit_cycles": In(width)} if tunable else {}))
        line = {"clock_hz": clock_hz, "baud": baud}
        bit_cycles = self.bit_cycles if tunable else None
        self._uart = UartTransmitter(**line, bit_cycles=bit_cycles)
        self._measurement = (
            make_host(self._node_test, **line, bit_cycles=bit_cycles) if measure else None
        )

    @property
    def measures(self) -> bool:
        """Whether it takes commands: to measure, or to load tables."""
        return self._measurement is not None

    def bit_cycles_at(self, clock_hz: int) -> int:
        """`bit_cycles` for a clock."""
        return uart_divisor(clock_hz=clock_hz, baud=self._baud) - 1

    @property
    def packets(self) -> int:
        """Packets that all nodes together send in a window; every copy counts as one."""
        return self._node_test.packets_of_all_nodes << self._rounds_log2

    def elaborate(self, platform: object) -> Module:
        """Connect the network, its node test, the counters and the line."""
        del platform
        m = Module()
        measurement, nodes = self._measurement, self._network.topology.nodes
        tables = measurement if isinstance(measurement, TableHost) else None
        most = nodes << TIME_WIDTH + 1 if isinstance(measurement, Measurement) else 0
        m.submodules.tally = tally = Tally(nodes=nodes, packets=self.packets, most=most)
        m.submodules.windows = windows = Windows(
            width=tally.width,
            timer_width=max(self._quiet_log2, self._node_test.timer_width),
            restarts=self._node_test.restarts,
        )
        restarts = self._node_test.restarts or self.measures
        network = ResetInserter(windows.restart)(self._fabric) if restarts else self._fabric
        m.submodules.network = network
        m.submodules.uart = self._uart
        timer = windows.timer
        control = WindowControl(
            **{name: getattr(windows, name) for name in ("start", "clear", "timer", "restart")},
            quiet=timer[min(self._node_test.pause_log2, len(timer) - 1) :].any(),
            fault=self.fault if self._faults else None,
            measurement=measurement if isinstance(measurement, Measurement) else None,
            tables=None if tables is None else TableCommands.of(tables),
        )
        values = {"window": windows.number} | {name: tally.counts[name] for name in COUNTERS}
        host = windows.connect_host(m, measurement)
        passed, active = tally.passed & host.all_entered, tally.active
        if (collectives := self._collectives) is not None:
            m.submodules.collectives = collectives
            collectives.connect(m, self._fabric)
            m.d.comb += [
                collectives.start.eq(windows.start & ~host.measures),
                collectives.clear.eq(windows.clear),
                collectives.alters.eq(self.fault == Fault.WORD if self._faults else 0),
            ]
            values |= {name: collectives.counts[name] for name in COLLECTIVE_COUNTERS}
            passed &= collectives.passed | host.measures
            active |= collectives.active
        if measurement is not None:
            m.d.comb += [measurement.rx.eq(self.rx), measurement.entered.eq(self._entered)]
            values = line_words(values, measurement.values)
        m.submodules.reporter = line = make_line_writer(self._network.name, m, values)
        wiring.connect(m, line.o, self._uart.i)
        events = self._node_test.add_to(m, self._fabric, control, rounds_log2=self._rounds_log2)
        m.d.sync += [getattr(tally, event).eq(Cat(bits)) for event, bits in events.items()]
        m.d.comb += [
            tally.refused.eq(self._fabric.refused),
            tally.clear.eq(windows.clear),
            tally.any_number.eq(host.measures),
            windows.active.eq(active),
            windows.passed.eq(passed),
            windows.writing.eq(line.busy),
            line.start.eq(windows.write),
            line.passed.eq(passed),
            self.tx.eq(self._uart.tx),
            self.led_alive.eq(windows.number[0]),
            self.led_pass.eq(windows.led_pass),
            self.led_fail.eq(windows.led_fail),
        ]
        return m


def make_host(
    node_test: NodeTest, *, clock_hz: int, baud: int, bit_cycles: Value | None = None
) -> Measurement | TableHost:
    """Make the receiver of commands for a node test: to measure, or to load tables."""
    how, topology = require_measuring(node_test), node_test.network.topology
    if how is None:
        return TableHost(topology, clock_hz=clock_hz, baud=baud, bit_cycles=bit_cycles)
    return Measurement(topology, how, clock_hz=clock_hz, baud=baud, bit_cycles=bit_cycles)


def line_words(counted: Mapping[str, Value], reported: data.View) -> dict[str, Value]:
    """Words of the line, in their order; those of `LINE_WORDS` first."""
    values = {**counted, **{word: reported[word] for word, _ in reported.shape()}}
    return {word: values[word] for word in dict.fromkeys((*LINE_WORDS, *values)) if word in values}


def selftest_verilog(
    network: Network,
    *,
    clock_hz: int,
    baud: int = 115200,
    rounds_log2: int | None = None,
    faults: bool = False,
    measure: bool = False,
) -> str:
    """Verilog of the self-test, the network included.

    The top is the module ``selftest`` with ports `clk`, `rst` (synchronous, active high), `tx`,
    `led_alive`, `led_pass`, `led_fail`, and with `faults` also `fault`, and
    with `measure` also `rx`. The parameters are those of
    `SelfTest`.

    Raises
    ------
    ConfigurationError
        The network cannot test itself, or the clock cannot give the baud rate.
    DeadlockError
        The network failed its deadlock check.
    """
    from amaranth.back import verilog

    os.environ["AMARANTH_USE_YOSYS"] = "builtin"  # that of the wheel, on every machine
    top = SelfTest(
        network,
        clock_hz=clock_hz,
        baud=baud,
        rounds_log2=rounds_log2,
        faults=faults,
        measure=measure,
    )
    text = verilog.convert(top, name="selftest", emit_src=False, strip_internal_attrs=True)
    return network_verilog(network) + "\n" + text
