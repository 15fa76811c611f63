"""Monitor of a network: counters and watchdog of its channels, read through AXI4-Lite."""

from functools import reduce
from operator import or_
from typing import cast

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member, Out

from ..monitoring import (
    CLEAR,
    IDENTITY,
    REARM,
    SINGLE,
    RegisterMap,
    network_probes,
    network_registers,
    register_map,
)
from ..network import Network
from ..untyped import Interface
from .axi_lite import AxiLite, BusWidths, RegisterBus, Response, axi_lite_signature
from .component import Component


class RegisterAccess(Component):
    """Answers a bus with the registers of whoever has them.

    Latency
    -------
    1 cycle from a request to its answer; one is taken every second cycle.

    Parameters
    ----------
    bus : BusWidths
        Widths.

    Members
    -------
    bus : In(axi_lite_signature)
        Bus. What the address does not name, and writes that lack a byte, are answered with SLVERR.
    read_word : Out
        Number of the word that is read.
    value : In(data_width)
        What it holds, in the same cycle.
    readable : In(1)
        Whether it is a register that may be read.
    write_word : Out
        Number of the word that is written.
    writable : In(1)
        Whether it is a register that may be written.
    writes : Out(1)
        `data` is written.
    data : Out(data_width)
        What is written.

    References
    ----------
    Arm, AMBA AXI and ACE Protocol Specification (IHI 0022), part B, AXI4-Lite: a subordinate may
    wait for address and data before it takes both (A3.3.1), and need not take partial writes
    (B1.1.3).
    """

    bus: AxiLite
    read_word: Signal
    value: Signal
    readable: Signal
    write_word: Signal
    writable: Signal
    writes: Signal
    data: Signal

    def __init__(self, *, bus: BusWidths) -> None:
        self._skipped = (bus.data_bytes - 1).bit_length()
        word = bus.address_width - self._skipped
        super().__init__(
            {
                "bus": In(axi_lite_signature(bus)),
                "read_word": Out(word),
                "value": In(bus.data_width),
                "readable": In(1),
                "write_word": Out(word),
                "writable": In(1),
                "writes": Out(1),
                "data": Out(bus.data_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, taken, may = self.bus, Signal(name="taken"), Signal(name="may")
        m.d.comb += [
            self.read_word.eq(bus.ar.p.address[self._skipped :]),
            self.write_word.eq(bus.aw.p.address[self._skipped :]),
            self.data.eq(bus.w.p.data),
            bus.ar.ready.eq(~bus.r.valid),
            taken.eq(bus.aw.valid & bus.w.valid & ~bus.b.valid),
            may.eq(self.writable & bus.w.p.strobe.all()),
            self.writes.eq(taken & may),
            bus.aw.ready.eq(taken),
            bus.w.ready.eq(taken),
        ]
        with m.If(bus.ar.valid & bus.ar.ready):
            m.d.sync += [
                bus.r.valid.eq(1),
                bus.r.p.data.eq(Mux(self.readable, self.value, 0)),
                bus.r.p.response.eq(Mux(self.readable, Response.OKAY, Response.SLVERR)),
            ]
        with m.Elif(bus.r.ready):
            m.d.sync += bus.r.valid.eq(0)
        with m.If(taken):
            m.d.sync += [
                bus.b.valid.eq(1),
                bus.b.p.response.eq(Mux(may, Response.OKAY, Response.SLVERR)),
            ]
        with m.Elif(bus.b.ready):
            m.d.sync += bus.b.valid.eq(0)
        return m


_GROUP = 16
"""Events that are chosen from in one step: a chain over all of them would be too deep for Yosys."""


class EventCounters(Component):
    """Counts of many events, each of which may happen in every cycle.

    Every event has a few flip-flops that count it. They are visited in turn, one per cycle, added
    to a word of a RAM, and begin again from 0: so the wide adder and the wide counters are one
    each, however many events there are.

    Latency
    -------
    At most `events` cycles from an event until `count` has it.

    Parameters
    ----------
    events : int
        Events, at least 2.
    width : int
        Bits of a count, which goes round modulo ``2**width``.

    Members
    -------
    event : In(events)
        Which events happen in this cycle.
    clear : In(1)
        Count only what happens in later cycles.
    clearing : Out(1)
        Counts are not valid yet, after a reset or a `clear`: no event was visited twice since, so
        the words in the RAM are of earlier counts.
    index : In(range(events))
        Event whose count is read.
    count : Out(width)
        Its count, in the same cycle.
    visited : Signal
        Event that is visited in this cycle.
    recent : list of Signal
        By event, how often it happened since its last visit.
    word : Signal
        Word of the RAM that is read for the visited event.
    """

    event: Signal
    clear: Signal
    clearing: Signal
    index: Signal
    count: Signal

    def __init__(self, *, events: int, width: int = 32) -> None:
        if events < 2:
            raise ValueError(f"events must be at least 2, not {events!r}")
        self._events = events
        self._width = width
        self.visited = Signal(range(events), name="visited")
        # Between two visits are as many cycles as there are events, at most one event in each.
        bits = events.bit_length()
        # Amaranth's stub does not know that a member has an initial value.
        clearing = Out(1, init=1)  # pyright: ignore[reportCallIssue]
        self.recent = [Signal(bits, name=f"recent_{number}") for number in range(events)]
        super().__init__(
            {
                "event": In(events),
                "clear": In(1),
                "clearing": clearing,
                "index": In(range(events)),
                "count": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.totals = totals = Memory(shape=self._width, depth=self._events, init=[])
        write = totals.write_port()
        read, counted = (totals.read_port(domain="comb") for _ in range(2))
        self.word = read.data
        visited = self.visited
        last = Signal(name="is_last")
        recent = self._sum_recent(m)
        total = Signal(self._width, name="total")
        m.d.comb += [
            last.eq(visited == self._events - 1),
            read.addr.eq(visited),
            counted.addr.eq(self.index),
            total.eq(Mux(self.clearing, 0, read.data) + recent),
            write.addr.eq(visited),
            write.data.eq(total),
            write.en.eq(~self.clear),
            self.count.eq(counted.data),
        ]
        m.d.sync += visited.eq(Mux(last | self.clear, 0, visited + 1))
        with m.If(self.clear):
            m.d.sync += self.clearing.eq(1)
        with m.Elif(last):
            m.d.sync += self.clearing.eq(0)
        return m

    def _sum_recent(self, m: Module) -> Value:
        """What the visited event has counted since its last visit, when it begins again."""
        width, here = self._events.bit_length(), []
        for number, count in enumerate(self.recent):
            is_here, kept = Signal(name=f"here_{number}"), Signal(width, name=f"kept_{number}")
            m.d.comb += [
                is_here.eq(self.visited == number),
                kept.eq(Mux(is_here | self.clear, 0, count)),
            ]
            here.append(is_here)
            m.d.sync += count.eq(Mux(self.clear, 0, kept + self.event[number]))
        recent = Signal(width, name="recent")
        groups = []
        for first in range(0, self._events, _GROUP):
            group = Signal(width, name=f"group_{first // _GROUP}")
            chosen = zip(
                here[first : first + _GROUP], self.recent[first : first + _GROUP], strict=True
            )
            m.d.comb += group.eq(reduce(or_, (n & h.replicate(width) for h, n in chosen)))
            groups.append(group)
        m.d.comb += recent.eq(reduce(or_, groups))
        m.d.sync += Assert(
            recent <= self._events, "counters: no count must go round between visits"
        )
        return recent


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
    elapsed : Signal
        Cycles of this bound, this one included.
    waited : Signal
        Channels that have waited in all of them before this one.
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
        self.elapsed = Signal(32, init=1, name="elapsed")
        self.waited = Signal(channels, name="waited")
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
        elapsed, waited = self.elapsed, self.waited
        ends, found = Signal(name="ends"), Signal(name="found")
        still = Signal(len(self.waits), name="still")
        m.d.comb += [
            ends.eq((elapsed == self.bound) & ~self.restart),
            still.eq(waited & self.waits),
            found.eq(ends & still.any() & ~self.alarm),
        ]
        m.d.sync += [
            elapsed.eq(Mux(ends | self.restart | (self.bound == 0), 1, elapsed + 1)),
            waited.eq(still | (ends | self.restart).replicate(len(waited))),
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


_WORD = 32


def monitor_bus(registers: RegisterMap) -> RegisterBus:
    """Widths of the bus that reads a monitor."""
    return RegisterBus(address_width=registers.address_width, data_width=_WORD)


class Monitor(Component):
    """Counts and watches the channels of a network, and is read through AXI4-Lite.

    Latency
    -------
    As of `RegisterAccess`, `EventCounters` and `Watchdog`: a count is reported at most
    ``2 * channels + nodes`` cycles late.

    Parameters
    ----------
    channels, nodes, turns : int
        Bits of the members.
    counters : bool
        Whether it counts.
    watchdog : int
        Cycles that a channel may wait when the watchdog begins; 0 for no watchdog.

    Members
    -------
    flits, waits : In(channels)
        A flit comes into the channel; one waits at its front.
    refused : In(nodes)
        A packet of the node was refused.
    wants : In(turns)
        For what the channels wait.
    bus : In(axi_lite_signature)
        Registers, see `monitoring`, as `RegisterAccess` answers.
    alarm : Out(1)
        The watchdog has found a channel.
    bound, cycles : Signal
        Registers of these names.
    """

    flits: Signal
    waits: Signal
    refused: Signal
    wants: Signal
    bus: AxiLite
    alarm: Signal

    def __init__(
        self, *, channels: int, nodes: int, turns: int, counters: bool = True, watchdog: int = 0
    ) -> None:
        self._counts = (channels, nodes, turns)
        self._counters = counters
        self._watchdog = watchdog
        self.bound = Signal(_WORD, init=watchdog, name="bound")
        self.cycles = Signal(_WORD, name="cycles")
        self._map = register_map(
            channels=channels,
            nodes=nodes,
            turns=turns,
            counters=counters,
            watchdog=watchdog > 0,
        )
        super().__init__(
            {
                "flits": In(channels),
                "waits": In(channels),
                "refused": In(nodes),
                "wants": In(turns),
                "bus": In(axi_lite_signature(monitor_bus(self._map))),
                "alarm": Out(1),
            }
        )

    @property
    def registers(self) -> RegisterMap:
        """Register map."""
        return self._map

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.access = access = RegisterAccess(bus=monitor_bus(self._map))
        bus, registers = cast(Interface, self.bus), cast(Interface, access.bus)
        wiring.connect(m, wiring.flipped(bus), registers)
        constants = {name: Const(0, _WORD) for name in SINGLE}
        constants["identity"] = Const(IDENTITY, _WORD)
        for name, count in zip(("channels", "nodes", "turns"), self._counts, strict=True):
            constants[name] = Const(count, _WORD)
        values: dict[str, Value] = {**constants, "status": self.alarm}
        found = self._watch(m, access, values) if self._watchdog else []
        count = self._count(m, access, values) if self._counters else None
        self._read(m, access, [list(values.values()), found], count)
        writable = [_is(access, name) for name, (way, _) in SINGLE.items() if "w" in way]
        if not self._watchdog:
            writable = [_is(access, "control")]
        m.d.comb += access.writable.eq(Cat(writable).any())
        return m

    def _watch(self, m: Module, access: RegisterAccess, values: dict[str, Value]) -> list[Value]:
        """Watchdog; what it found, in words."""
        channels, _, turns = self._counts
        m.submodules.watchdog = watchdog = Watchdog(channels=channels, turns=turns)
        set_bound = Signal(name="set_bound")
        m.d.comb += [
            set_bound.eq(access.writes & _is(access, "bound")),
            watchdog.waits.eq(self.waits),
            watchdog.wants.eq(self.wants),
            watchdog.bound.eq(self.bound),
            watchdog.restart.eq(set_bound),
            watchdog.rearm.eq(_written(m, access, REARM, "rearm")),
            self.alarm.eq(watchdog.alarm),
        ]
        with m.If(set_bound):
            m.d.sync += self.bound.eq(access.data)
        values["bound"] = self.bound
        return [
            bits[at : at + _WORD]
            for bits in (watchdog.stuck, watchdog.waiting, watchdog.wanted)
            for at in range(0, len(bits), _WORD)
        ]

    def _count(self, m: Module, access: RegisterAccess, values: dict[str, Value]) -> EventCounters:
        """Counters, which give the count whose address is read."""
        channels, nodes, _ = self._counts
        m.submodules.counters = counters = EventCounters(events=2 * channels + nodes)
        clear = _written(m, access, CLEAR, "clear")
        m.d.sync += self.cycles.eq(Mux(clear, 0, self.cycles + 1))
        m.d.comb += [
            counters.event.eq(Cat(self.flits, self.waits, self.refused)),
            counters.clear.eq(clear),
            counters.index.eq(access.read_word[: self._map.page_width]),
        ]
        values["cycles"] = self.cycles
        return counters

    def _read(
        self,
        m: Module,
        access: RegisterAccess,
        pages: list[list[Value]],
        counters: EventCounters | None,
    ) -> None:
        """What the word that is read holds, and whether there is such a word."""
        width = self._map.page_width
        page, word = access.read_word[width:], access.read_word[:width]
        with m.Switch(page):
            for number, words in enumerate(pages):
                with m.Case(number), m.Switch(word):
                    for place, value in enumerate(words):
                        with m.Case(place):
                            m.d.comb += [access.value.eq(value), access.readable.eq(1)]
            if counters is not None:
                with m.Case(len(pages)):
                    m.d.comb += [
                        access.value.eq(Mux(counters.clearing, 0, counters.count)),
                        access.readable.eq(word < len(counters.event)),
                    ]


def _is(access: RegisterAccess, name: str) -> Value:
    """Whether a register is the one that is written."""
    return access.write_word == list(SINGLE).index(name)


def _written(m: Module, access: RegisterAccess, bit: int, name: str) -> Signal:
    """Whether a bit of the register `control` is written with 1."""
    written = Signal(name=name)
    m.d.comb += written.eq(access.writes & _is(access, "control") & access.data[bit])
    return written


PROBES = ("flits", "waits", "wants")
"""Members of a monitor that hear the routers; these have them as ``probe_flits``, ..."""


def make_monitor(network: Network) -> Monitor:
    """Monitor of a network whose parameters ask for one."""
    widths, hardware = network_probes(network), network.hardware
    return Monitor(
        channels=widths.channels,
        nodes=network.topology.nodes,
        turns=widths.turns,
        counters=hardware.has_counters,
        watchdog=hardware.watchdog_bound,
    )


def monitor_members(network: Network) -> dict[str, Member]:
    """Members of a network with a monitor."""
    bus = axi_lite_signature(monitor_bus(network_registers(network)))
    return {"monitor": In(bus), "alarm": Out(1)}
