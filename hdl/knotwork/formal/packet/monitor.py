"""Monitor of a network: what its registers hold, what it counts, which channels it finds."""

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value

from ...emit.modules import module_writer, planned_ports
from ...emit.ports import MONITOR_PREFIX
from ...gateware.monitor import EventCounters, Monitor, Watchdog
from ...gateware.wiring_plan import monitor_module
from ...monitoring import CLEAR, IDENTITY, REARM, SINGLE, network_probes, network_registers
from ...network import Network
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Part, Property

_WORD = 32
_OKAY, _ERROR = 0, 2
"""Answers of AXI4-Lite (IHI 0022, A3.4.4)."""


class MonitorHarness(Harness):
    """Harness of a monitor, whose inputs from routers and bus are arbitrary.

    Parameters
    ----------
    network : Network
        Network with a monitor.
    name : str
        Name of the monitor's module.

    Members
    -------
    writes : Value
        A register is written in this cycle.
    restarts, rearms, clears : Value
        It is `bound`, or `control` with the bit of the watchdog or of the counters.
    bound : Signal
        Cycles that a channel may wait.
    cycles : Signal
        Cycles since the reset, or since the counters began again.
    """

    def __init__(self, network: Network, name: str) -> None:
        module = monitor_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.monitor = self.component("", Monitor)
        self.network = network
        hardware = network.hardware
        self.watches, self.counts = hardware.watchdog_bound > 0, hardware.has_counters
        taken = self.bus("awvalid") & self.bus("awready")
        known = [self.named(self._word("aw") == place, one) for place, one in enumerate(SINGLE)]
        named = dict(zip(SINGLE, known, strict=True))
        writable = named["control"] | (named["bound"] if self.watches else Const(0))
        self.may_write = self.named(self.bus("wstrb").all() & writable, "may_write")
        self.writes = self.named(taken & self.may_write, "writes")
        word, control = self.bus("wdata"), self.writes & named["control"]
        self.restarts = self.named(self.writes & named["bound"], "restarts")
        self.rearms = self.named(control & word[REARM], "rearms")
        self.clears = self.named(control & word[CLEAR], "clears")
        self.bound = self.register(_WORD, "bound_set", init=hardware.watchdog_bound)
        with self.m.If(self.restarts):
            self.m.d.sync += self.bound.eq(word)
        self.cycles = self.register(_WORD, "cycles_counted")
        self.m.d.sync += self.cycles.eq(Mux(self.clears, 0, self.cycles + 1))

    def bus(self, name: str) -> Signal:
        """Signal of the bus, ``awvalid``."""
        return self.port(f"{MONITOR_PREFIX}_{name}")

    def _word(self, channel: str) -> Value:
        """Number of the word that is addressed."""
        return self.bus(f"{channel}addr")[2:]

    @property
    def counters(self) -> EventCounters:
        """Counters, if there are any."""
        return self.component("counters", EventCounters)

    @property
    def watchdog(self) -> Watchdog:
        """Watchdog, if there is one."""
        return self.component("watchdog", Watchdog)

    def totals(self) -> list[Signal]:
        """Words of the counters."""
        return self.probe_words(self.counters.word, range(len(self.counters.event)))

    def found(self) -> list[Value]:
        """What the watchdog found: which channels, which waited then, and for what."""
        watchdog = self.watchdog
        return list(map(self.probe, (watchdog.stuck, watchdog.waiting, watchdog.wanted)))

    def read_word(self) -> tuple[Value, Value]:
        """Whether the word that is read is a register, and what it holds."""
        shown: dict[str, Value | int] = {
            **dict.fromkeys(SINGLE, 0),
            "identity": IDENTITY,
            "channels": len(self.port("waits")),
            "nodes": len(self.port("refused")),
            "turns": len(self.port("wants")),
            "status": self.port("alarm"),
            "bound": self.bound if self.watches else 0,
            "cycles": self.cycles if self.counts else 0,
        }
        holds: dict[int, Value | int] = dict(enumerate(shown.values()))
        arrays = network_registers(self.network).arrays
        if self.watches:
            for name, bits in zip(("stuck", "waits", "wants"), self.found(), strict=True):
                first = arrays[name].offset // 4
                for place in range(0, len(bits), _WORD):
                    holds[first + place // _WORD] = bits[place : place + _WORD]
        if self.counts:
            clearing = self.probe(self.counters.clearing)
            for place, total in enumerate(self.totals(), arrays["flits"].offset // 4):
                holds[place] = Mux(clearing, 0, total)
        readable, value = Signal(name="is_register"), Signal(_WORD, name="holds")
        with self.m.Switch(self._word("ar")):
            for place, held in holds.items():
                with self.m.Case(place):
                    self.m.d.comb += [readable.eq(1), value.eq(held)]
        return readable, value


def _claim_registers(harness: MonitorHarness) -> None:
    """Claim what a read and a write are answered."""
    if harness.watches:
        harness.claim(harness.probe(harness.monitor.bound) == harness.bound)
    if harness.counts:
        harness.claim(harness.probe(harness.monitor.cycles) == harness.cycles)
    bus = harness.bus
    answers = {"r": Cat(bus("rdata"), bus("rresp")), "b": bus("bresp")}
    for name, answer in answers.items():
        harness.claim_held(bus(f"{name}valid"), bus(f"{name}ready"), answer, name)
        harness.cover(bus(f"{name}valid") & (bus(f"{name}resp") == _OKAY))
        harness.cover(bus(f"{name}valid") & (bus(f"{name}resp") == _ERROR))
    readable, value = harness.read_word()
    reads = harness.before(bus("arvalid") & bus("arready"), "reads")
    answer = Cat(Mux(readable, value, 0), Mux(readable, Const(_OKAY, 2), _ERROR))
    harness.claim(~reads | (answers["r"] == harness.before(answer, "read")))
    harness.claim(~reads | bus("rvalid"))
    taken = harness.before(bus("awvalid") & bus("awready"), "taken")
    answer = Mux(harness.may_write, Const(_OKAY, 2), _ERROR)
    harness.claim(~taken | (bus("bvalid") & (bus("bresp") == harness.before(answer, "written"))))
    # An address is taken with its data, and none while an answer waits.
    harness.claim(bus("arready") == ~bus("rvalid"))
    harness.claim(bus("awready") == (bus("awvalid") & bus("wvalid") & ~bus("bvalid")))
    harness.claim(bus("wready") == bus("awready"))


def _claim_counters(harness: MonitorHarness) -> None:
    """Claim of any one event that its counter has it, or will at the next visit."""
    events = Cat(harness.port(name) for name in ("flits", "waits", "refused"))
    counters, totals = harness.counters, harness.totals()
    count = len(totals)
    one = harness.any_constant((count - 1).bit_length())
    harness.environment(one < count)
    counted = harness.register(_WORD, "counted")
    happens = harness.named(events.bit_select(one, 1), "happens")
    harness.m.d.sync += counted.eq(Mux(harness.clears, 0, counted + happens))
    visited, clearing = harness.probe(counters.visited), harness.probe(counters.clearing)
    recent = Array(map(harness.probe, counters.recent))[one]
    total = Array(totals)[one]
    harness.claim(visited < count)
    is_past = harness.named(visited > one, "is_past")
    harness.claim(counted == (recent + Mux(is_past | ~clearing, total, 0))[:_WORD])
    # So a counter lags by a round of visits at most, in which an event can happen once per cycle.
    harness.claim(recent <= visited - one + Mux(is_past, 0, count))
    harness.cover(harness.clears & (counted == 2))
    if count < 16:  # a round of visits that the search can follow
        harness.cover(~clearing & (total == 2))


def _claim_watchdog(harness: MonitorHarness) -> None:
    """Claim of any one channel that it is found when it must be, and not before."""
    m, bound, waits = harness.m, harness.bound, harness.port("waits")
    one = harness.any_constant((len(waits) - 1).bit_length())
    harness.environment(one < len(waits))
    restarts, rearms, alarm = harness.restarts, harness.rearms, harness.port("alarm")
    bits = _WORD + 1
    most = (1 << bits) - 1
    waits_now = harness.named(waits.bit_select(one, 1), "waits_now")
    row, watched = harness.register(bits, "row"), harness.register(bits, "watched")
    for cycles, goes_on in ((row, waits_now), (watched, waits_now & ~restarts & ~rearms)):
        m.d.sync += cycles.eq(Mux(goes_on, Mux(cycles == most, most, cycles + 1), 0))
    # The timer: `elapsed` cycles of this bound, of which the first can be the one after the reset.
    elapsed = harness.probe(harness.watchdog.elapsed)
    ends = harness.named((elapsed == bound) & ~restarts, "ends")
    begun = harness.register(1, "begun")
    with m.If(ends | restarts):
        m.d.sync += begun.eq(1)
    harness.claim(Mux(bound == 0, elapsed == 1, (elapsed != 0) & (elapsed <= bound)))
    has_waited = harness.probe(harness.watchdog.waited).bit_select(one, 1)
    harness.claim((bound == 0) | (has_waited == (begun & (row + 1 >= elapsed))))
    harness.claim(begun | ((bound != 0) & (watched < elapsed)))
    harness.claim(watched <= row)
    # A channel is found at the latest after two bounds, and stays so until the watchdog is rearmed.
    harness.claim((bound == 0) | ~begun | (watched < bound + elapsed) | alarm)
    harness.claim((bound == 0) | (watched < 2 * bound) | alarm)
    alarmed = harness.before(alarm, "alarmed")
    harness.claim(~alarmed | alarm | harness.before(rearms, "rearmed"))
    stuck, waiting, wanted = harness.found()
    picture = Cat(stuck, waiting, wanted)
    kept = harness.before(picture, "picture")
    harness.claim(~(alarmed & alarm) | (picture == kept))
    rises = harness.named(alarm & ~alarmed, "rises")
    long = harness.before(waits_now & begun & (row + 1 >= bound), "long")
    harness.claim(~rises | (stuck.bit_select(one, 1) == long))
    harness.claim(~rises | (harness.before(ends, "ended") & stuck.any()))
    harness.claim(~rises | (waiting == harness.before(waits, "waited")))
    harness.claim(~rises | (wanted == harness.before(harness.port("wants"), "wished")))
    harness.cover(rises & stuck.bit_select(one, 1))
    harness.cover(alarmed & ~alarm)


def _properties(network: Network) -> Sequence[Property]:
    """Properties of a network's monitor."""
    widths, hardware = network_probes(network), network.hardware
    registers = Property(
        name="registers",
        text="a read is answered with what the register map says, and a write does what it says; "
        "what is no register is answered with SLVERR",
        claim=_claim_registers,
    )
    found = [registers]
    if hardware.has_counters:
        late = 2 * widths.channels + network.topology.nodes
        counters = Property(
            name="counters",
            text=f"each flit, waiting cycle and refused packet is counted once, at most {late} "
            "cycles late",
            claim=_claim_counters,
            depth=20,
        )
        found.append(counters)
    if hardware.watchdog_bound:
        watchdog = Property(
            name="watchdog",
            text="a channel that waits for two bounds of cycles is found, and none that waits for "
            "less than one; what was found stays until `control` has it forget it",
            claim=_claim_watchdog,
            lemmas=(registers,),
        )
        found.append(watchdog)
    return found


def monitor_parts(network: Network) -> list[Part]:
    """Monitor of a network, if it has one."""
    if not network.hardware.is_monitored:
        return []
    return [
        Part(
            network.module_name("monitor"),
            module_writer(monitor_module),
            MonitorHarness,
            _properties,
        )
    ]
