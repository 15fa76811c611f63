"""The network, and around it what proves on a board that it works."""

from math import log2
from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.emit import EmittedNetwork
from knotwork.network import Network

from .chain import ChainWriter
from .checker import Checker
from .fault import Fault, FaultInjector
from .generator import Generator
from .lfsr import Lfsr, node_seed
from .packet import PacketFormat, longest_packet
from .report import Reporter
from .tally import EVENTS, Tally
from .uart import UartTransmitter

PAUSE_LOG2 = 6
"""Logarithm of the clocks without a packet after which none is on its way in a sound network."""


def usual_rounds_log2(packets: int, clock_hz: int) -> int:
    """Logarithm of the rounds, each of `packets` a node, that take about half a second.

    A packet takes about 8 clocks.
    """
    return max(0, round(log2(clock_hz / 2 / 8 / packets)))


class SelfTest(wiring.Component):
    """Network with a generator and a checker at each node, and a report by UART and LEDs.

    In a window each node sends ``nodes * 2 ** rounds_log2`` packets, the same number to every node
    in turn, itself included, of 1..4 beats (where the network takes 4) with random pauses; checkers
    hold packets back at random as well. With multicasts each node ends each of its
    ``2 ** rounds_log2`` rounds with one to as many nodes as the network allows, and each of its
    copies counts as a packet, sent with its address in the chain. A window ends when no packet has
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
        Logarithm of the clocks without a packet after which a window has ended.
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
        self._format = PacketFormat(network)
        self._fabric: Any = EmittedNetwork(network) if fabric is None else fabric
        self._uart = UartTransmitter(clock_hz=clock_hz, baud=baud)
        if rounds_log2 is None:
            rounds_log2 = usual_rounds_log2(self._packets_a_round, clock_hz)
        self._rounds_log2 = rounds_log2
        self._quiet_log2 = quiet_log2
        self._faults = faults
        self._longest = longest_packet(getattr(network.hardware, "max_packet", 4))
        ports = {"tx": Out(1), "led_alive": Out(1), "led_pass": Out(1), "led_fail": Out(1)}
        super().__init__(ports | ({"fault": In(Fault)} if faults else {}))

    @property
    def _packets_a_round(self) -> int:
        """Packets of a node, each copy of its multicast counted as one."""
        return self._network.topology.nodes + self._format.members

    @property
    def packets(self) -> int:
        """Packets of a window, of all nodes, each copy of a multicast counted as one."""
        return self._network.topology.nodes * self._packets_a_round << self._rounds_log2

    def elaborate(self, platform: object) -> Module:
        """Clear the checkers, run the generators until all is quiet, report; over and over."""
        del platform
        m = Module()
        m.submodules.network = self._fabric
        m.submodules.uart = self._uart
        m.submodules.tally = tally = Tally(nodes=self._network.topology.nodes, packets=self.packets)
        m.submodules.reporter = reporter = Reporter(name=self._network.name, width=tally.width)
        wiring.connect(m, reporter.o, self._uart.i)

        start, clear = Signal(), Signal()
        timer = Signal(max(self._quiet_log2, self._format.flow_width))
        window = Signal(tally.width)
        quiet = timer[min(PAUSE_LOG2, len(timer) - 1) :].any()
        self._place_nodes(m, tally, start=start, clear=clear, clear_source=timer, quiet=quiet)
        m.d.comb += [
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
                    m.d.sync += [
                        window.eq(window + 1),
                        self.led_pass.eq(tally.passed & ~self.led_fail),
                        self.led_fail.eq(~tally.passed | self.led_fail),
                    ]
                    m.next = "CLEAR"
        return m

    def _place_nodes(
        self,
        m: Module,
        tally: Tally,
        *,
        start: Value,
        clear: Value,
        clear_source: Value,
        quiet: Value,
    ) -> None:
        """Put generator and checker at each node, and gather what they tell."""
        events: dict[str, list[Value]] = {event: [] for event in EVENTS if event != "refused"}
        for node, address in enumerate(self._format.addresses):
            lfsr = Lfsr(seed=node_seed(node))
            checker = Checker(format=self._format, address=address)
            m.submodules[f"lfsr_{node}"] = lfsr
            m.submodules[f"checker_{node}"] = checker
            source, sent = self._place_source(m, node, start=start, random=lfsr.o[:4], quiet=quiet)
            if self._faults and node == 0:
                m.submodules.injector = injector = self._injector()
                m.d.comb += [injector.fault.eq(self.fault), injector.start.eq(start)]
                wiring.connect(m, source, injector.i)
                source = injector.o
            wiring.connect(m, source, self._fabric.inject[node])
            wiring.connect(m, self._fabric.eject[node], checker.i)
            m.d.comb += [
                checker.random.eq(lfsr.o[9:11]),
                checker.clear.eq(clear),
                checker.clear_source.eq(clear_source),
            ]
            for event, bits in events.items():
                bits.append(sent if event == "sent" else getattr(checker, event))
        m.d.comb += [getattr(tally, event).eq(Cat(bits)) for event, bits in events.items()]
        m.d.comb += tally.refused.eq(self._fabric.refused)

    def _place_source(
        self, m: Module, node: int, *, start: Value, random: Value, quiet: Value
    ) -> tuple[stream.Interface, Value]:
        """Put a generator at a node; return its packets, and what tells that one was sent."""
        generator = Generator(
            format=self._format,
            node=node,
            rounds_log2=self._rounds_log2,
            longest=self._longest,
        )
        m.submodules[f"generator_{node}"] = generator
        m.d.comb += [generator.start.eq(start), generator.random.eq(random)]
        if not self._format.in_order:
            m.d.comb += generator.quiet.eq(quiet)
        if not self._format.members:
            return generator.o, generator.sent
        chain = ChainWriter(format=self._format, address=self._format.addresses[node])
        m.submodules[f"chain_{node}"] = chain
        wiring.connect(m, generator.o, chain.i)
        return chain.o, generator.sent | chain.sent

    def _injector(self) -> FaultInjector:
        addresses = self._format.addresses
        unused = set(range(1 << self._format.address_width)) - set(addresses)
        return FaultInjector(
            layout=self._format.packet_in,
            elsewhere=addresses[-1],
            nowhere=min(unused, default=None),
        )
