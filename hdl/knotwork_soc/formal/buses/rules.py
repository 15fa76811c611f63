"""Rules of the buses, each by its section of the standard: claimed of one side, or assumed of it.

References
----------
Arm, AMBA AXI and ACE Protocol Specification (IHI 0022): A3.2.1, A3.3.1, A3.4.1. OpenCores, WISHBONE
B4: 3.1.3, 3.2. Arm, AMBA APB Protocol Specification (IHI 0024): 3, 4.1.
"""

from amaranth.hdl import Cat, Mux, Signal, Value

from .harness import Bus, BusHarness


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
    shown = harness.register(len(request), "shown_request")
    harness.m.d.sync += [stalled.eq(bus["stb"] & bus["stall"]), shown.eq(request)]
    harness.claim(~bus["stb"] | bus["cyc"])
    harness.claim(~stalled | ~bus["cyc"] | (bus["stb"] & (request == shown)))


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
    shown = harness.register(len(payload), "shown_transfer")
    harness.m.d.sync += [
        goes_on.eq(bus["psel"] & ~(bus["penable"] & bus["pready"])),
        shown.eq(payload),
    ]
    harness.claim(bus["penable"] == goes_on)
    harness.claim(~goes_on | (bus["psel"] & (payload == shown)))
    harness.claim(~bus["psel"] | bus["pwrite"] | ~bus["pstrb"].any())
    return goes_on


def ends(bus: Bus) -> Value:
    """Whether a transfer of APB ends."""
    return bus["psel"] & bus["penable"] & bus["pready"]
