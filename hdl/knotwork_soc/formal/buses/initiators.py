"""Proofs of the bridges from managers of other buses to AXI4."""

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from knotwork.formal.property import Property

from ...gateware.buses.initiator_bridges import ApbToAxi4, WishboneToAxi4
from .harness import (
    AxiOwed,
    BusHarness,
    WishboneOwed,
    apb_transfers_have_two_phases,
    axi_answers_are_held,
    axi_requests_are_held,
    ends,
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


def _axi_lite(harness: BusHarness) -> None:
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


def _apb(harness: BusHarness) -> AxiOwed:
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


def _apb_rules(harness: BusHarness) -> None:
    _apb(harness)
    axi_requests_are_held(harness, harness.target)
    for channel in ("aw", "w", "ar"):
        harness.cover(harness.target.taken(channel))


def _apb_once(harness: BusHarness) -> None:
    owed = _apb(harness)
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


class _Wishbone:
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


def _wishbone_rules(harness: BusHarness) -> None:
    seen = _Wishbone(harness)
    axi_requests_are_held(harness, harness.target)
    seen.owed.answers_have_requests(harness, at_once=False)
    writes = seen.axi.addresses.any() | seen.axi.data.any()
    harness.claim(~(writes & seen.axi.beats.any()))
    harness.cover(seen.axi.beats == harness.target.parameters.outstanding)
    harness.cover(seen.owed.answered & (seen.owed.count > 1))


def _wishbone_late(harness: BusHarness) -> None:
    seen = _Wishbone(harness)
    harness.claim(~seen.late.any() | ~(seen.owed.answered | seen.owed.taken))
    # Nothing is lost: each answer of AXI4 is one of this cycle, or late.
    axi, cyc = harness.target, harness.manager["cyc"]
    answered = axi.taken("b") | axi.taken("r")
    harness.claim(seen.owed.answered == (answered & cyc & ~seen.late.any()))
    harness.cover(answered & seen.late.any() & cyc)


def _wishbone_data(harness: BusHarness) -> None:
    seen = _Wishbone(harness)
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


PROPERTIES: dict[str, Sequence[Property]] = {
    "axi_lite": [
        _one(
            "transfers",
            "transfers are AXI4's: single words with the fixed values of IHI 0022, B1.1.1, and are "
            "held (A3.2.1)",
            _axi_lite,
        )
    ],
    "apb": [
        _one("rules", "AXI4's requests are held until taken (IHI 0022, A3.2.1)", _apb_rules),
        _one(
            "once",
            "a transfer asks once, and ends with its own answer (IHI 0024, 3; IHI 0022, A3.3.1)",
            _apb_once,
        ),
    ],
    "wishbone": [
        _one(
            "rules",
            "AXI4's requests are held (IHI 0022, A3.2.1); answers are one per request, ack or err "
            "(WISHBONE B4, 3.45, 3.50); reads and writes are never under way together",
            _wishbone_rules,
        ),
        _one(
            "late",
            "all answers of a cycle come in it, and those of one that ended early in none",
            _wishbone_late,
        ),
        _one("data", "requests reach AXI4, and answers return, as they are", _wishbone_data),
    ],
}
"""Properties of the bridges by the kind of their manager's bus."""
