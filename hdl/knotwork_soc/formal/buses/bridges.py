"""Proofs of the bridges between buses: from managers of other buses to AXI4, and to peripherals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Mux, Value
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove
from knotwork.untyped import Interface

from ...emit.shells import bridge_verilog
from ...gateware.buses.initiator_bridges import INITIATOR_BRIDGES, ApbToAxi4, WishboneToAxi4
from ...gateware.buses.target_bridges import (
    TARGET_BRIDGES,
    Axi4ToApb,
    Axi4ToAxiLite,
    Axi4ToWishbone,
)
from ...parameters import BusParameters
from .harness import (
    AxiOwed,
    Bursts,
    BusHarness,
    WishboneOwed,
    apb_transfers_have_two_phases,
    assume_last_data_marked,
    axi_answers_are_held,
    axi_requests_are_held,
    ends,
    offered_beat_stays,
    queued,
    total,
    wishbone_requests_are_held,
)


def _subordinate(harness: BusHarness) -> AxiOwed:
    """Assume what AXI4 asks of the subordinate behind a bridge."""
    axi = harness.target
    owed = AxiOwed(harness, axi)
    with harness.assuming():
        axi_answers_are_held(harness, axi)
        owed.data_is_not_early(harness)
        owed.outcome_is_not_early(harness)
    return owed


def _is_single(harness: BusHarness, channel: str) -> None:
    """Claim the fixed fields of a burst of one whole word (IHI 0022, B1.1.1)."""
    axi, low = harness.target, (harness.target.parameters.data_bytes - 1).bit_length()
    fixed = {"id": 0, "len": 0, "size": low, "burst": 1, "lock": 0, "cache": 0, "qos": 0}
    for name, value in fixed.items():
        harness.claim(axi[f"{channel}{name}"] == value)
    harness.claim(axi[f"{channel}addr"][:low] == 0)


def _from_axi_lite(harness: BusHarness) -> None:
    lite, axi = harness.manager, harness.target
    with harness.assuming():
        axi_requests_are_held(harness, lite)
        axi_answers_are_held(harness, axi)
    axi_requests_are_held(harness, axi)
    axi_answers_are_held(harness, lite)
    low = (lite.parameters.data_bytes - 1).bit_length()
    for name in ("aw", "ar"):
        _is_single(harness, name)
        harness.claim(axi[f"{name}addr"][low:] == lite[f"{name}addr"][low:])
        harness.claim(axi[f"{name}prot"] == lite[f"{name}prot"])
    for name in ("aw", "w", "b", "ar", "r"):
        harness.claim(axi.taken(name) == lite.taken(name))
        harness.cover(axi.taken(name))
    harness.claim(Cat(axi[n] for n in ("wdata", "wstrb")) == lite.payload("w"))
    harness.claim(axi["wlast"])
    harness.claim(axi["bresp"] == lite["bresp"])
    harness.claim(Cat(axi["rdata"], axi["rresp"]) == Cat(lite["rdata"], lite["rresp"]))


def _from_apb(harness: BusHarness) -> AxiOwed:
    apb = harness.manager
    with harness.assuming():
        goes_on = apb_transfers_have_two_phases(harness, apb)
    owed = _subordinate(harness)
    # What was asked is of the transfer that goes on.
    requested = Cat(owed.addresses.any(), owed.beats.any(), owed.data.any())
    harness.claim(~requested.any() | goes_on)
    for count, write in ((owed.addresses, 1), (owed.data, 1), (owed.beats, 0)):
        harness.claim((count <= 1) & (~count.any() | (apb["pwrite"] == write)))
    bridge = harness.component("", ApbToAxi4)
    harness.claim(harness.probe(bridge.addressed) == requested[:2].any())
    harness.claim(harness.probe(bridge.given) == requested[2])
    return owed


def _from_apb_rules(harness: BusHarness) -> None:
    _from_apb(harness)
    axi_requests_are_held(harness, harness.target)
    for channel in ("aw", "w", "ar"):
        harness.cover(harness.target.taken(channel))


def _from_apb_once(harness: BusHarness) -> None:
    owed = _from_apb(harness)
    apb, axi = harness.manager, harness.target
    end, write = ends(apb), apb["pwrite"]
    harness.claim((axi.taken("b") | axi.taken("r")) == end)
    harness.claim(~end | (Mux(write, axi.taken("b"), axi.taken("r")) == 1))
    harness.claim(~end | ~write | ((owed.addresses == 1) & (owed.data == 1)))
    harness.claim(~end | write | (owed.beats == 1))
    harness.claim(~end | (apb["pslverr"] == Mux(write, axi["bresp"], axi["rresp"])[1]))
    harness.claim(~end | write | (apb["prdata"] == axi["rdata"]))
    low = (apb.parameters.data_bytes - 1).bit_length()
    for name in ("aw", "ar"):
        _is_single(harness, name)
        harness.claim(axi[f"{name}addr"][low:] == apb["paddr"][low:])
        harness.claim(axi[f"{name}prot"] == apb["pprot"])
    harness.claim(Cat(axi["wdata"], axi["wstrb"]) == Cat(apb["pwdata"], apb["pstrb"]))
    harness.claim(axi["wlast"])
    harness.cover(end & write & apb["pslverr"])
    harness.cover(end & ~write)


class _FromWishbone:
    """A Wishbone bridge's registers beside what its buses have seen.

    Members
    -------
    owed : WishboneOwed
        Requests of this cycle without an answer.
    late : Signal
        Those of cycles that ended early.
    axi : AxiOwed
        What AXI4 owes.
    full, request : Value, View
        Whether the bridge holds a request, and the request.
    """

    def __init__(self, harness: BusHarness) -> None:
        wishbone, axi = harness.manager, harness.target
        with harness.assuming():
            wishbone_requests_are_held(harness, wishbone)
        self.axi = _subordinate(harness)
        self.owed = WishboneOwed(harness, wishbone)
        answered = axi.taken("b") | axi.taken("r")
        self.late = harness.register(6, "late")
        rest = self.late + Mux(wishbone["cyc"], 0, self.owed.count)
        own = wishbone["cyc"] & ~self.late.any()
        harness.m.d.sync += self.late.eq(rest - (answered & ~own))
        bridge = harness.component("", WishboneToAxi4)
        count, full, kind, stale = map(
            harness.probe, (bridge.count, bridge.full, bridge.kind, bridge.stale)
        )
        addressed, given = harness.probe(bridge.addressed), harness.probe(bridge.given)
        self.full, self.request = full, harness.probe_view(bridge.request)
        harness.claim(count <= axi.parameters.outstanding)
        harness.claim(self.axi.addresses == Mux(kind, count, 0) + addressed)
        harness.claim(self.axi.data == Mux(kind, count, 0) + given)
        harness.claim(self.axi.beats == Mux(kind, 0, count))
        started = addressed | given
        harness.claim(~started | (full & self.request.we & (~count.any() | kind)))
        harness.claim(~started | (count != axi.parameters.outstanding))
        harness.claim(~(addressed & given))
        harness.claim(self.owed.count + self.late == count + full)
        harness.claim(~self.late.any() | stale)
        harness.claim(~stale | ~self.owed.count.any())


def _from_wishbone_rules(harness: BusHarness) -> None:
    seen = _FromWishbone(harness)
    axi_requests_are_held(harness, harness.target)
    seen.owed.answers_have_requests(harness, at_once=False)
    writes = seen.axi.addresses.any() | seen.axi.data.any()
    harness.claim(~(writes & seen.axi.beats.any()))
    harness.cover(seen.axi.beats == harness.target.parameters.outstanding)
    harness.cover(seen.owed.answered & (seen.owed.count > 1))


def _from_wishbone_late(harness: BusHarness) -> None:
    seen = _FromWishbone(harness)
    harness.claim(~seen.late.any() | ~(seen.owed.answered | seen.owed.taken))
    # Nothing is lost: each answer of AXI4 is one of this cycle, or late.
    axi, cyc = harness.target, harness.manager["cyc"]
    answered = axi.taken("b") | axi.taken("r")
    harness.claim(seen.owed.answered == (answered & cyc & ~seen.late.any()))
    harness.cover(answered & seen.late.any() & cyc)


def _from_wishbone_data(harness: BusHarness) -> None:
    seen = _FromWishbone(harness)
    wishbone, axi = harness.manager, harness.target
    fields = ("adr", "sel", "dat_w", "we")
    given = Cat(wishbone[name] for name in fields)
    requested = harness.last_of(given, seen.owed.taken, "requested")
    low = (axi.parameters.data_bytes - 1).bit_length()
    words = len(wishbone["adr"])
    kept = Cat(seen.request[name] for name in fields)
    harness.claim(~seen.full | (kept == requested))
    address: Value = Cat(Const(0, low), requested[:words])
    for name, write in (("aw", 1), ("ar", 0)):
        _is_single(harness, name)
        sent = axi[f"{name}valid"]
        harness.claim(~sent | ((axi[f"{name}addr"] == address) & (requested[-1] == write)))
    data = Cat(axi["wstrb"], axi["wdata"])
    harness.claim(~axi["wvalid"] | ((data == requested[words:-1]) & axi["wlast"] & requested[-1]))
    harness.claim(~wishbone["ack"] | ~axi["rvalid"] | (wishbone["dat_r"] == axi["rdata"]))
    failed = Mux(axi["bvalid"], axi["bresp"], axi["rresp"])[1]
    harness.claim(~seen.owed.answered | (wishbone["err"] == failed))
    harness.cover(wishbone["err"])


def _one(name: str, text: str, claim: Callable[[BusHarness], None]) -> Property:
    return Property(name=name, text=text, claim=claim)


INITIATOR_PROPERTIES: dict[str, Sequence[Property]] = {
    "axi_lite": [
        _one(
            "transfers",
            "transfers are AXI4's: single words with the fixed values of IHI 0022, B1.1.1, and are "
            "held (A3.2.1)",
            _from_axi_lite,
        )
    ],
    "apb": [
        _one("rules", "AXI4's requests are held until taken (IHI 0022, A3.2.1)", _from_apb_rules),
        _one(
            "once",
            "a transfer asks once, and ends with its own answer (IHI 0024, 3; IHI 0022, A3.3.1)",
            _from_apb_once,
        ),
    ],
    "wishbone": [
        _one(
            "rules",
            "AXI4's requests are held (IHI 0022, A3.2.1); answers are one per request, ack or err "
            "(WISHBONE B4, 3.45, 3.50); reads and writes are never under way together",
            _from_wishbone_rules,
        ),
        _one(
            "late",
            "all answers of a cycle come in it, and those of one that ended early in none",
            _from_wishbone_late,
        ),
        _one("data", "requests reach AXI4, and answers return, as they are", _from_wishbone_data),
    ],
}
"""Properties of the bridges by the kind of their manager's bus."""


PENDING = 2
"""Places of the bridges' queues in the proofs."""


def _to_apb(harness: BusHarness) -> Bursts:
    apb, axi = harness.target, harness.manager
    beats = harness.component("", Axi4ToApb).beats
    bursts = Bursts(harness, beats.read_stage, beats.reads, beats.writes)
    assume_last_data_marked(harness, bursts)
    held, wrote = harness.probe(beats.held), harness.probe(beats.wrote)
    goes_on = apb_transfers_have_two_phases(harness, apb)
    harness.claim(held == goes_on)
    harness.claim(~held | (wrote == apb["pwrite"]))
    # A transfer that goes on has room for its answer.
    harness.claim(~(held & ~wrote & axi["rvalid"]))
    harness.claim(~(held & wrote & axi["bvalid"]))
    offered_beat_stays(harness, beats)
    owed = bursts.owed
    harness.claim(owed.beats == bursts.unsent + axi["rvalid"])
    harness.claim((owed.addresses == axi["bvalid"]) & (owed.data == axi["bvalid"]))
    return bursts


def _to_apb_rules(harness: BusHarness) -> None:
    owed = _to_apb(harness).owed
    axi_answers_are_held(harness, harness.manager)
    owed.data_is_not_early(harness)
    owed.outcome_is_not_early(harness)
    harness.cover(harness.manager.taken("r") & ~harness.manager["rlast"])
    harness.cover(harness.manager.taken("b"))


def _to_apb_answers(harness: BusHarness) -> None:
    bursts = _to_apb(harness)
    apb, axi = harness.target, harness.manager
    read, write = ends(apb) & ~apb["pwrite"], ends(apb) & apb["pwrite"]
    # Each transfer that reads is a beat on R, with what was read.
    was_read = harness.register(1, "was_read")
    harness.m.d.sync += was_read.eq(read)
    last = bursts.number == bursts.kept.length
    answer = Cat(apb["prdata"], apb["pslverr"], bursts.kept.id, last)
    expected = harness.last_of(answer, read, "read")
    observed = Cat(axi["rdata"], axi["rresp"][1], axi["rid"], axi["rlast"])
    harness.claim(~was_read | axi["rvalid"])
    harness.claim(~axi["rvalid"] | ((observed == expected) & ~axi["rresp"][0]))
    # A burst's writes are one outcome, which failed if one of them did.
    is_last = bursts.written == axi["awlen"]
    before = harness.probe(harness.component("", Axi4ToApb).earlier)
    failed = harness.register(1, "failed")
    harness.m.d.sync += failed.eq(Mux(write, ~is_last & (failed | apb["pslverr"]), failed))
    outcome = harness.last_of(Cat(failed | apb["pslverr"], axi["awid"]), write & is_last, "outcome")
    was_written = harness.register(1, "was_written")
    harness.m.d.sync += was_written.eq(write & is_last)
    harness.claim(failed == before)
    harness.claim(~was_written | axi["bvalid"])
    answer = Cat(axi["bresp"][1], axi["bid"])
    harness.claim(~axi["bvalid"] | ((answer == outcome) & ~axi["bresp"][0]))
    harness.cover(axi.taken("b") & (axi["bresp"] == 2))


def _to_wishbone(harness: BusHarness) -> tuple[Bursts, WishboneOwed]:
    wishbone = harness.target
    bridge = harness.component("", Axi4ToWishbone)
    beats = bridge.beats
    bursts = Bursts(harness, beats.read_stage, beats.reads, beats.writes)
    assume_last_data_marked(harness, bursts)
    order = queued(harness, bridge.order)
    owed = WishboneOwed(harness, wishbone)
    with harness.assuming():
        owed.answers_have_requests(harness, at_once=True)
    for queue in (bridge.order, bridge.read_store, bridge.write_store):
        harness.claim(harness.probe(queue.o.valid) | ~harness.probe(queue.full))
    harness.claim(owed.count == harness.occupancy(bridge.order))
    reads, writes = harness.probe(bridge.reads), harness.probe(bridge.writes)
    waiting = total([there & ~entry.write for there, entry in order])
    harness.claim(reads == waiting + harness.occupancy(bridge.read_store))
    waiting = total([there & entry.write & entry.last for there, entry in order])
    harness.claim(writes == waiting + harness.occupancy(bridge.write_store))
    harness.claim((reads <= PENDING) & (writes <= PENDING))
    harness.claim(bursts.owed.beats == bursts.unsent + reads)
    harness.claim((bursts.owed.addresses == writes) & (bursts.owed.data == writes))
    held, wrote = harness.probe(beats.held), harness.probe(beats.wrote)
    harness.claim(~held | Mux(wrote, writes != PENDING, reads != PENDING))
    offered_beat_stays(harness, beats)
    return bursts, owed


def _to_wishbone_rules(harness: BusHarness) -> None:
    bursts, owed = _to_wishbone(harness)
    wishbone_requests_are_held(harness, harness.target)
    owed.cycle_lasts(harness)
    axi_answers_are_held(harness, harness.manager)
    bursts.owed.data_is_not_early(harness)
    bursts.owed.outcome_is_not_early(harness)
    harness.cover(owed.count == PENDING)
    harness.cover(harness.manager.taken("r") & ~harness.manager["rlast"])
    harness.cover(harness.manager.taken("b") & (harness.manager["bresp"] == 2))


def _to_wishbone_requests(harness: BusHarness) -> None:
    """Claim that what is sent is a beat of a burst, one after the other."""
    bursts, owed = _to_wishbone(harness)
    wishbone, axi = harness.target, harness.manager
    write = wishbone["we"]
    sent_data = Cat(wishbone["dat_w"], wishbone["sel"])
    harness.claim(~(owed.taken & write) | (sent_data == Cat(axi["wdata"], axi["wstrb"])))
    harness.claim((owed.taken & write) == axi.taken("w"))
    is_last = bursts.written == axi["awlen"]
    harness.claim(axi.taken("aw") == (axi.taken("w") & is_last))
    # A read's beat leaves what is unsent, and nothing else does.
    unsent, now = bursts.unsent, harness.register(6, "unsent")
    harness.m.d.sync += now.eq(
        unsent - (owed.taken & ~write) + Mux(axi.taken("ar"), axi["arlen"] + 1, 0)
    )
    harness.claim(unsent == now)
    harness.cover(axi.taken("aw") & axi.taken("ar"))


def _to_axi_lite(harness: BusHarness) -> tuple[Bursts, AxiOwed]:
    lite = harness.target
    bridge = harness.component("", Axi4ToAxiLite)
    bursts = Bursts(harness, bridge.read_stage, bridge.read_unroller, bridge.write_unroller)
    behind = AxiOwed(harness, lite)
    with harness.assuming():
        axi_answers_are_held(harness, lite)
        behind.data_is_not_early(harness)
        behind.outcome_is_not_early(harness)
    lasts = total([there & entry.last for there, entry in queued(harness, bridge.write_order)])
    for queue in (bridge.write_order, bridge.read_order):
        harness.claim(harness.probe(queue.o.valid) | ~harness.probe(queue.full))
    harness.claim(behind.addresses == harness.occupancy(bridge.write_order))
    harness.claim(behind.beats == harness.occupancy(bridge.read_order))
    harness.claim(bursts.owed.beats == bursts.unsent + behind.beats)
    harness.claim(bursts.owed.addresses == lasts)
    return bursts, behind


def _to_axi_lite_rules(harness: BusHarness) -> None:
    bursts, behind = _to_axi_lite(harness)
    axi_requests_are_held(harness, harness.target)
    axi_answers_are_held(harness, harness.manager)
    bursts.owed.data_is_not_early(harness)
    harness.claim(~harness.manager["bvalid"] | bursts.owed.addresses.any())
    harness.cover(behind.beats == PENDING)
    harness.cover(harness.manager.taken("b"))


def _to_axi_lite_answers(harness: BusHarness) -> None:
    bursts, _ = _to_axi_lite(harness)
    lite, axi = harness.target, harness.manager
    harness.claim(axi.taken("r") == lite.taken("r"))
    observed, given = (Cat(one["rdata"], one["rresp"]) for one in (axi, lite))
    harness.claim(~axi["rvalid"] | (observed == given))
    harness.claim(axi.taken("w") == lite.taken("w"))
    observed, given = (Cat(one["wdata"], one["wstrb"]) for one in (axi, lite))
    harness.claim(observed == given)
    # The outcome is the worst since the last one.
    worst = harness.register(2, "worst")
    with harness.assuming():
        harness.claim(lite["bresp"] != 1)  # EXOKAY: AXI4-Lite has none (B1.1.1)
    now = Mux(lite["bresp"] > worst, lite["bresp"], worst)
    harness.m.d.sync += worst.eq(Mux(lite.taken("b"), Mux(axi.taken("b"), 0, now), worst))
    harness.claim(harness.probe(harness.component("", Axi4ToAxiLite).earlier) == worst)
    harness.claim(worst != 1)
    harness.claim(~axi["bvalid"] | (lite["bvalid"] & (axi["bresp"] == now)))
    harness.claim(~axi.taken("b") | lite.taken("b"))
    harness.cover(axi.taken("b") & (axi["bresp"] == 3) & (lite["bresp"] == 2))
    harness.cover(axi.taken("r") & ~bursts.unsent.any())


TARGET_PROPERTIES: dict[str, Sequence[Property]] = {
    "axi_lite": [
        _one(
            "rules",
            "requests and answers are held (IHI 0022, A3.2.1), answers not early (A3.3.1), and "
            "one for each beat that is read and each burst that is written",
            _to_axi_lite_rules,
        ),
        _one(
            "answers",
            "data passes as it is; the outcome of a write is the worst of its beats (A3.4.4)",
            _to_axi_lite_answers,
        ),
    ],
    "wishbone": [
        _one(
            "rules",
            "requests are held in a cycle that lasts to its answers (WISHBONE B4, 3.25, 3.1.3, "
            "3.2); answers are held (IHI 0022, A3.2.1) and not early (A3.3.1), have space, and are "
            "one for each beat that is read and each burst that is written",
            _to_wishbone_rules,
        ),
        _one(
            "requests",
            "a request is the next beat of a burst, each once, with the data and bytes of W",
            _to_wishbone_requests,
        ),
    ],
    "apb": [
        _one(
            "rules",
            "transfers have a cycle of setup, then access, and are stable (IHI 0024, 3, 4.1); "
            "answers are held (IHI 0022, A3.2.1), not early (A3.3.1), and one for each beat that "
            "is read and each burst that is written",
            _to_apb_rules,
        ),
        _one(
            "answers",
            "each read is the beat of R with its data, its identifier and its burst's last; a "
            "burst has failed if one of its writes has",
            _to_apb_answers,
        ),
    ],
}
"""Properties of the bridges by the kind of their peripheral's bus."""


SMALL = BusParameters(address_width=12, data_width=8, id_width=2, burst=4, outstanding=3)
"""Widths with which bridges are proven; AXI4-Lite has no narrower data than 32 bits."""


class BridgeProof(NamedTuple):
    """Bridge and its properties.

    Members
    -------
    make : callable
        Makes the bridge, by its parameters.
    properties : sequence of Property
        What is proven of it; each takes a `BusHarness`.
    keys : mapping
        Keys of the bridge beside the parameters.
    """

    make: Callable[..., Interface]
    properties: Sequence[Property]
    keys: Mapping[str, int]


_QUEUES = {"axi_lite": {"pending": PENDING}, "wishbone": {"pending": PENDING}}

BRIDGES = {
    f"{kind}_to_axi4": BridgeProof(make, INITIATOR_PROPERTIES[kind], {})
    for kind, make in INITIATOR_BRIDGES.items()
} | {
    f"axi4_to_{kind}": BridgeProof(make, TARGET_PROPERTIES[kind], _QUEUES.get(kind, {}))
    for kind, make in TARGET_BRIDGES.items()
}
"""Bridges by name."""


def prove_bridge(
    name: str,
    bus: BusParameters = SMALL,
    *,
    only: Sequence[str] = (),
    edit: Callable[[str], str] = str,
) -> Iterator[Result]:
    """Prove the properties of a bridge, or some of them.

    Parameters
    ----------
    name : str
        One of `BRIDGES`.
    bus : BusParameters
        Its widths.
    only : sequence of str
        Names of properties; all if there are none.
    edit : callable
        Change of the Verilog before it is proven.
    """
    proof = BRIDGES[name]

    def make() -> Interface:
        return proof.make(bus=bus, **proof.keys)

    return prove(
        name,
        edit(bridge_verilog(make(), bus, name)),
        lambda: BusHarness(make(), bus, name),
        [one for one in proof.properties if not only or one.name in only],
    )
