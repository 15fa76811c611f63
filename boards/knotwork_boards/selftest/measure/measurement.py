"""What the nodes of a network that measures share: pace of a window, commands and sums."""

from typing import NamedTuple

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from ...measuring import MEASURE, RATE_ONE, REPORTED_SETTINGS, SETTINGS, TIME_WIDTH
from ..uart import UartReceiver
from .commands import DROPPED_WIDTH, SETTINGS_LAYOUT, CommandDecoder, Host
from .meter import Meter

_DIVIDEND_WIDTH = (RATE_ONE + SETTINGS["length"].most).bit_length()


class Pace(wiring.Component):
    """Warm-up and measured part of a window, and how likely a packet is in a cycle.

    Members
    -------
    settings : In(SETTINGS_LAYOUT)
        Settings; constant from `prepare` to the end of the window.
    prepare : In(1)
        Pulse after which `threshold` is computed, in some twenty cycles.
    start : In(1)
        Pulse that begins a window, later.
    threshold : Out(17)
        `Settings.threshold`.
    creating : Out(1)
        Nodes create packets.
    measured : Out(1)
        Those of this cycle count.
    """

    settings: data.View
    prepare: Value
    start: Value
    threshold: Value
    creating: Value
    measured: Value

    def __init__(self) -> None:
        super().__init__(
            {
                "settings": In(SETTINGS_LAYOUT),
                "prepare": In(1),
                "start": In(1),
                "threshold": Out(RATE_ONE.bit_length()),
                "creating": Out(1),
                "measured": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Divide bit by bit; then count the two parts down."""
        del platform
        m = Module()
        self._divide(m)
        settings, left = self.settings, Signal(TIME_WIDTH)
        with m.If(self.start & (settings.mode == MEASURE)):
            warm = settings.warmup != 0
            m.d.sync += [
                self.creating.eq(1),
                self.measured.eq(~warm),
                left.eq(Mux(warm, settings.warmup, settings.cycles)),
            ]
        with m.Elif(self.creating):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 1):
                m.d.sync += [
                    self.creating.eq(~self.measured),
                    self.measured.eq(~self.measured),
                    left.eq(settings.cycles),
                ]
        return m

    def _divide(self, m: Module) -> None:
        """Rate over length, rounded up."""
        length = self.settings.length
        dividend = Signal(_DIVIDEND_WIDTH)  # the quotient comes in from below
        rest = Signal(len(length))
        bits_left = Signal(range(_DIVIDEND_WIDTH + 1))
        grown = Cat(dividend[-1], rest)
        fits = grown >= length
        m.d.comb += self.threshold.eq(dividend)
        with m.If(self.prepare):
            m.d.sync += [
                dividend.eq(self.settings.rate + length - 1),
                rest.eq(0),
                bits_left.eq(_DIVIDEND_WIDTH),
            ]
        with m.Elif(bits_left != 0):
            m.d.sync += [
                dividend.eq(Cat(fits, dividend)),
                rest.eq(Mux(fits, grown - length, grown)),
                bits_left.eq(bits_left - 1),
            ]


class Measuring(NamedTuple):
    """How a node test measures.

    Members
    -------
    longest : int
        Flits of the longest packet.
    stamp_width : int
        Bits of the time of creation that a packet carries.
    delay : int
        See `Meter`, with the network's registers.
    """

    longest: int
    stamp_width: int
    delay: int


class Measurement(wiring.Component):
    """Commands, pace and sums of the measuring self-test.

    A node test connects its nodes to `meter` and `pace`; the self-test does the rest.

    Parameters
    ----------
    topology : Topology
        Network.
    how : Measuring
        How the node test measures.
    clock_hz, baud, bit_cycles
        See `UartReceiver`.
    tables : bool
        Whether the node test takes tables.

    Members
    -------
    rx : In(1)
        Serial line.
    take : In(1)
        Pulse between two windows: the settings become those of the next.
    clear : In(1)
        High from then on until `start`.
    start : In(1)
        Pulse that begins a window.
    line_begins : In(1)
        Pulse when the line of a window begins: `values.dropped` is for it.
    entered : In(nodes)
        See `NodeSource`.
    waiting : In(nodes)
        See there.
    all_entered : Out(1)
        No packet waits.
    settings : Out(SETTINGS_LAYOUT)
        Settings of the window.
    measures : Out(1)
        The window measures.
    going, anew : Out(1)
        See `CommandDecoder`.
    busy : Out(1)
        Packets are still created.
    now, stamp : Out(stamp_width)
        Time; stamp of a packet that is created in the cycle before.
    values : Out(StructLayout)
        Words of the line.
    """

    rx: Value
    take: Value
    clear: Value
    start: Value
    line_begins: Value
    entered: Value
    waiting: Value
    all_entered: Value
    settings: data.View
    measures: Value
    going: Value
    anew: Value
    busy: Value
    now: Value
    stamp: Value
    values: data.View

    def __init__(
        self,
        topology: Topology,
        how: Measuring,
        *,
        clock_hz: int,
        baud: int,
        bit_cycles: Value | None = None,
        tables: bool = False,
    ) -> None:
        stamp_width = how.stamp_width
        self.pace = Pace()
        self.meter = Meter(nodes=topology.nodes, stamp_width=stamp_width, delay=how.delay)
        self.decoder = CommandDecoder(topology, longest=how.longest, tables=tables)
        self._receiver = UartReceiver(clock_hz=clock_hz, baud=baud, bit_cycles=bit_cycles)
        self._delay = how.delay
        repeated = {name: SETTINGS_LAYOUT[name].width for name in REPORTED_SETTINGS} | {
            "dropped": DROPPED_WIDTH
        }
        sums = {name: field.width for name, field in self.meter.values.shape()}
        super().__init__(
            {
                "rx": In(1, init=1),  # pyright: ignore[reportCallIssue]
                **dict.fromkeys(("take", "clear", "start", "line_begins"), In(1)),
                "entered": In(topology.nodes),
                "waiting": In(topology.nodes),
                "all_entered": Out(1),
                "settings": Out(SETTINGS_LAYOUT),
                **dict.fromkeys(("measures", "going", "anew", "busy"), Out(1)),
                "now": Out(stamp_width),
                "stamp": Out(stamp_width),
                "values": Out(data.StructLayout(repeated | sums)),
            }
        )

    @property
    def host(self) -> Host:
        """What decides over windows."""
        return Host(*(getattr(self, name) for name in Host._fields))

    def elaborate(self, platform: object) -> Module:
        """Connect the parts."""
        del platform
        m = Module()
        m.submodules.receiver = receiver = self._receiver
        m.submodules.decoder = decoder = self.decoder
        m.submodules.pace = pace = self.pace
        m.submodules.meter = meter = self.meter
        taken = Signal()
        m.d.sync += [taken.eq(self.take), self.all_entered.eq(~self.waiting.any())]
        m.d.comb += [
            receiver.rx.eq(self.rx),
            decoder.byte.eq(receiver.byte),
            decoder.received.eq(receiver.received),
            decoder.take.eq(self.take),
            decoder.line_begins.eq(self.line_begins),
            self.settings.eq(decoder.settings),
            self.measures.eq(decoder.settings.mode == MEASURE),
            self.going.eq(decoder.going),
            self.anew.eq(decoder.anew),
            pace.settings.eq(decoder.settings),
            pace.prepare.eq(taken),
            pace.start.eq(self.start),
            self.busy.eq(pace.creating),
            meter.clear.eq(self.clear),
            meter.measured.eq(pace.measured),
            self.values.dropped.eq(decoder.dropped),
        ]
        m.d.comb += [self.values[name].eq(decoder.settings[name]) for name in REPORTED_SETTINGS]
        m.d.comb += [self.values[name].eq(meter.values[name]) for name, _ in meter.values.shape()]
        with m.If(self.clear):
            m.d.sync += [self.now.eq(0), self.stamp.eq(self._delay - 1)]
        with m.Else():
            m.d.sync += [self.now.eq(self.now + 1), self.stamp.eq(self.stamp + 1)]
        return m
