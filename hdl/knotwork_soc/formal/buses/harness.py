"""Harness of components with buses, and the rules of the buses: assumed of one side, or claimed.

References
----------
Arm, AMBA AXI and ACE Protocol Specification (IHI 0022): A3.2.1, A3.3.1, A3.4.1. OpenCores, WISHBONE
B4: 3.1.3, 3.2. Arm, AMBA APB Protocol Specification (IHI 0024): 3, 4.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.lib import data
from knotwork.formal.elaboration import Elaboration
from knotwork.formal.harness import Harness
from knotwork.gateware.parts.buffer import Buffer
from knotwork.untyped import Interface, View

from ...emit.shells import bus_shell
from ...gateware.buses.bursts import BeatMerger, BurstStage, Unroller
from ...gateware.buses.bus_kinds import BUS_KINDS, BusKind, bus_signals
from ...parameters import BusParameters


class Bus:
    """Ports of one bus of a harness.

    Parameters
    ----------
    harness : Harness
        The harness.
    prefix : str
        First part of the ports' names.
    kind, bus : BusKind, BusParameters
        The bus.
    """

    def __init__(self, harness: Harness, prefix: str, kind: BusKind, bus: BusParameters) -> None:
        self._harness = harness
        self._prefix = prefix
        self._signals = bus_signals(kind, bus)
        self.parameters = bus

    def __getitem__(self, name: str) -> Signal:
        """Port of the signal with this name in the standard."""
        return self._harness.port(f"{self._prefix}_{name}")

    def given(self, name: str, otherwise: int) -> Value | int:
        """The same, or what holds where the bus has no such signal."""
        port = f"{self._prefix}_{name}"
        return self._harness.port(port) if self._harness.has_port(port) else otherwise

    def taken(self, channel: str) -> Value:
        """Whether a channel of AXI has a transfer."""
        return self[f"{channel}valid"] & self[f"{channel}ready"]

    def payload(self, channel: str) -> Value:
        """All that a channel of AXI carries."""
        own = [one for one in self._signals if one.member == (channel, "payload")]
        return Cat(self[one.name] for one in own)


class BusHarness(Harness):
    """Harness of a component whose members are buses, each named by its kind.

    Parameters
    ----------
    component : Interface
        The component.
    bus : BusParameters
        Its widths.
    name : str
        Name of its module.

    Members
    -------
    manager, target : Bus
        The bus at which a manager is connected, and that where a peripheral is.
    """

    def __init__(self, component: Interface, bus: BusParameters, name: str) -> None:
        shell = bus_shell(component, bus)
        super().__init__(name, *shell.widths, Elaboration(component))
        inputs, _ = shell.widths
        for kind in BUS_KINDS.values():
            signals = bus_signals(kind, bus)
            for prefix in (kind.initiator_prefix, kind.target_prefix):
                if not self.has_port(f"{prefix}_{signals[0].name}"):
                    continue
                found = Bus(self, prefix, kind, bus)
                if f"{prefix}_{signals[0].name}" in inputs:
                    self.manager = found
                else:
                    self.target = found

    def occupancy(self, queue: Buffer) -> Value:
        """Entries of a queue of two places."""
        return self.probe(queue.o.valid) + self.probe(queue.full)

    def counter(self, name: str, more: Value, less: Value, bits: int = 6) -> Signal:
        """Register that counts up by one value and down by another."""
        count = self.register(bits, name)
        self.m.d.sync += count.eq(count + more - less)
        return count

    def last_of(self, value: Value, when: Value, name: str) -> Signal:
        """Register with what a value was when it was last given."""
        kept = self.register(len(value), name)
        self.m.d.sync += kept.eq(Mux(when, value, kept))
        return kept


def _held(harness: BusHarness, bus: Bus, channels: tuple[str, ...]) -> None:
    for name in channels:
        valid, ready = bus[f"{name}valid"], bus[f"{name}ready"]
        harness.claim_held(valid, ready, bus.payload(name), name)


def axi_requests_are_held(harness: BusHarness, bus: Bus) -> None:
    """IHI 0022, A3.2.1: a manager keeps what it offers until it is taken."""
    _held(harness, bus, ("aw", "w", "ar"))


def axi_answers_are_held(harness: BusHarness, bus: Bus) -> None:
    """IHI 0022, A3.2.1: so does a subordinate."""
    _held(harness, bus, ("b", "r"))


class AxiOwed:
    """What a subordinate owes: writes addressed, writes with all data, and beats of reads.

    Members
    -------
    addresses, data, beats : Signal
        Their numbers, without the transfers of this cycle.
    """

    def __init__(self, harness: BusHarness, bus: Bus) -> None:
        self._bus = bus
        outcome = bus.taken("b")
        self.addresses = harness.counter("addresses", bus.taken("aw"), outcome)
        last = bus.taken("w") & bus.given("wlast", 1)
        self.data = harness.counter("data", last, outcome)
        beats = Mux(bus.taken("ar"), bus.given("arlen", 0) + 1, 0)
        self.beats = harness.counter("beats", beats, bus.taken("r"))

    def data_is_not_early(self, harness: BusHarness) -> None:
        """IHI 0022, A3.3.1: what is read comes after its address."""
        harness.claim(~self._bus["rvalid"] | self.beats.any())

    def outcome_is_not_early(self, harness: BusHarness) -> None:
        """IHI 0022, A3.3.1: a write's outcome comes after its address and its last data."""
        written = self.addresses.any() & self.data.any()
        harness.claim(~self._bus["bvalid"] | written)


def bursts_are_short(harness: BusHarness, bus: Bus) -> None:
    """A manager sends no burst that is longer than the bus's parameters say."""
    for name in ("awlen", "arlen"):
        harness.claim(bus[name] < bus.parameters.burst)


def wishbone_requests_are_held(harness: BusHarness, bus: Bus) -> None:
    """WISHBONE B4, rule 3.25 and 3.2: no stb without cyc; a stalled request waits unchanged."""
    request = Cat(bus[name] for name in ("we", "adr", "sel", "dat_w"))
    stalled = harness.register(1, "stalled")
    observed = harness.register(len(request), "shown_request")
    harness.m.d.sync += [stalled.eq(bus["stb"] & bus["stall"]), observed.eq(request)]
    harness.claim(~bus["stb"] | bus["cyc"])
    harness.claim(~stalled | ~bus["cyc"] | (bus["stb"] & (request == observed)))


class WishboneOwed:
    """Requests of a cycle that have no answer yet.

    Members
    -------
    count : Signal
        Their number, without the request and the answer of this clock cycle.
    taken, answered : Value
        A request is taken, or answered, in this one.
    """

    def __init__(self, harness: BusHarness, bus: Bus) -> None:
        self._bus = bus
        self.taken = bus["cyc"] & bus["stb"] & ~bus["stall"]
        self.answered = bus["ack"] | bus["err"]
        self.count = harness.register(6, "owed")
        left = self.count + self.taken - self.answered
        harness.m.d.sync += self.count.eq(Mux(bus["cyc"], left, 0))

    def answers_have_requests(self, harness: BusHarness, *, at_once: bool) -> None:
        """WISHBONE B4, rules 3.45 and 3.50: ack or err, in a cycle, to a request of its own."""
        ready = self.count.any() | (self.taken if at_once else 0)
        harness.claim(~(self._bus["ack"] & self._bus["err"]))
        harness.claim(~self.answered | (self._bus["cyc"] & ready))

    def cycle_lasts(self, harness: BusHarness) -> None:
        """WISHBONE B4, 3.1.3: cyc stays until all answers have come."""
        harness.claim(~self.count.any() | self._bus["cyc"])


def apb_transfers_have_two_phases(harness: BusHarness, bus: Bus) -> Signal:
    """IHI 0024, 4.1 and 3: a cycle of setup, then access until ready; all is stable meanwhile.

    Returns
    -------
    Signal
        The transfer was there in the cycle before.
    """
    payload = Cat(bus[name] for name in ("pwrite", "paddr", "pprot", "pwdata", "pstrb"))
    goes_on = harness.register(1, "goes_on")
    observed = harness.register(len(payload), "shown_transfer")
    harness.m.d.sync += [
        goes_on.eq(bus["psel"] & ~(bus["penable"] & bus["pready"])),
        observed.eq(payload),
    ]
    harness.claim(bus["penable"] == goes_on)
    harness.claim(~goes_on | (bus["psel"] & (payload == observed)))
    harness.claim(~bus["psel"] | bus["pwrite"] | ~bus["pstrb"].any())
    return goes_on


def ends(bus: Bus) -> Value:
    """Whether a transfer of APB ends."""
    return bus["psel"] & bus["penable"] & bus["pready"]


class Bursts:
    """The bursts of a bridge, beside what its manager has seen.

    Parameters
    ----------
    harness : BusHarness
        Harness of the bridge.
    stage : BurstStage
        Where it keeps the read that is unrolled.
    reads, writes : Unroller
        What unrolls both.

    Members
    -------
    owed : AxiOwed
        What the bridge owes its manager.
    unsent : Value
        Beats of the read that is unrolled, which were not sent yet.
    number, kept : Value
        The next beat's number in it, and the read.
    """

    def __init__(
        self, harness: BusHarness, stage: BurstStage, reads: Unroller, writes: Unroller
    ) -> None:
        axi = harness.manager
        with harness.assuming():
            axi_requests_are_held(harness, axi)
            bursts_are_short(harness, axi)
        self.written, self.number = harness.probe(writes.number), harness.probe(reads.number)
        for unroller, number in ((writes, self.written), (reads, self.number)):
            harness.claim(harness.probe(unroller.begun) == number.any())
        full, self.kept = harness.probe(stage.full), harness.probe_view(stage.kept)
        self.unsent = Mux(full, self.kept.length + 1 - self.number, 0)
        self.owed = AxiOwed(harness, axi)
        harness.claim(~full | (self.kept.length < axi.parameters.burst))
        harness.claim(self.number <= Mux(full, self.kept.length, 0))
        # AW waits while its beats are sent.
        harness.claim(~self.written.any() | axi["awvalid"])
        harness.claim(~axi["awvalid"] | (self.written <= axi["awlen"]))


def assume_last_data_marked(harness: BusHarness, bursts: Bursts) -> None:
    """Assume that a manager marks the last data of a write's burst (IHI 0022, A3.2.2)."""
    axi = harness.manager
    with harness.assuming():
        last = axi["wlast"] == (bursts.written == axi["awlen"])
        harness.claim(~axi.taken("w") | last)


def offered_beat_stays(harness: BusHarness, beats: BeatMerger) -> None:
    """Claim that a beat that was offered to a bus of one channel is there still."""
    axi, held, wrote = harness.manager, harness.probe(beats.held), harness.probe(beats.wrote)
    harness.claim(~(held & wrote) | (axi["awvalid"] & axi["wvalid"]))
    harness.claim(~(held & ~wrote) | harness.probe(beats.read_stage.full))


class QueueEntry(NamedTuple):
    """Place of a queue.

    Members
    -------
    is_there : Value
        Whether an entry is in it.
    entry : View
        The entry.
    """

    is_there: Value
    entry: View


def queued(harness: BusHarness, queue: Buffer) -> list[QueueEntry]:
    """The two places of a queue, the first to leave first."""
    front, back = harness.probe_view(queue.o.p), harness.probe(queue.back)
    return [
        QueueEntry(harness.probe(queue.o.valid), front),
        QueueEntry(harness.probe(queue.full), data.View(front.shape(), back)),
    ]


def total(values: Sequence[Value]) -> Value:
    """Sum of values."""
    found, *others = values
    for one in others:
        found = found + one
    return found
