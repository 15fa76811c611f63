"""Counters and watchdog of a network, read through AXI4-Lite."""

from typing import cast

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...monitoring.registers import CLEAR, IDENTITY, REARM, SINGLE, RegisterMap, register_map
from ...untyped import Interface
from ..axi_lite import AxiLite, RegisterBus, axi_lite_signature
from ..component import Component
from .access import RegisterAccess
from .counters import EventCounters
from .watchdog import Watchdog

_WORD = 32


def monitor_bus(registers: RegisterMap) -> RegisterBus:
    """Widths of the bus that reads a monitor."""
    return RegisterBus(address_width=registers.address_width, data_width=_WORD)


class Monitor(Component):
    """Counts and watches the channels of a network, and is read through AXI4-Lite.

    Latency
    -------
    As of `RegisterAccess`, `EventCounters` and `Watchdog`: a count is told at most
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
        Registers, see `monitoring.registers`, as `RegisterAccess` answers.
    alarm : Out(1)
        The watchdog has found a channel.
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
        shown = {name: Const(0, _WORD) for name in SINGLE}
        shown["identity"] = Const(IDENTITY, _WORD)
        for name, count in zip(("channels", "nodes", "turns"), self._counts, strict=True):
            shown[name] = Const(count, _WORD)
        values: dict[str, Value] = {**shown, "status": self.alarm}
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
        bound, set_bound = (
            Signal(_WORD, init=self._watchdog, name="bound"),
            Signal(name="set_bound"),
        )
        m.d.comb += [
            set_bound.eq(access.writes & _is(access, "bound")),
            watchdog.waits.eq(self.waits),
            watchdog.wants.eq(self.wants),
            watchdog.bound.eq(bound),
            watchdog.restart.eq(set_bound),
            watchdog.rearm.eq(_told(m, access, REARM, "rearm")),
            self.alarm.eq(watchdog.alarm),
        ]
        with m.If(set_bound):
            m.d.sync += bound.eq(access.data)
        values["bound"] = bound
        return [
            bits[at : at + _WORD]
            for bits in (watchdog.stuck, watchdog.waiting, watchdog.wanted)
            for at in range(0, len(bits), _WORD)
        ]

    def _count(self, m: Module, access: RegisterAccess, values: dict[str, Value]) -> EventCounters:
        """Counters, asked for the count whose address is read."""
        channels, nodes, _ = self._counts
        m.submodules.counters = counters = EventCounters(events=2 * channels + nodes)
        cycles, clear = Signal(_WORD, name="cycles"), _told(m, access, CLEAR, "clear")
        m.d.sync += cycles.eq(Mux(clear, 0, cycles + 1))
        m.d.comb += [
            counters.event.eq(Cat(self.flits, self.waits, self.refused)),
            counters.clear.eq(clear),
            counters.index.eq(access.read_word[: self._map.page_width]),
        ]
        values["cycles"] = cycles
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


def _told(m: Module, access: RegisterAccess, bit: int, name: str) -> Signal:
    """Whether a bit of the register `control` is written with 1."""
    told = Signal(name=name)
    m.d.comb += told.eq(access.writes & _is(access, "control") & access.data[bit])
    return told
