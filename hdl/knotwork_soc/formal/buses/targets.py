"""Proofs of the bridges from AXI4 to peripherals at other buses."""

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Mux
from knotwork.formal.property import Property

from ...gateware.buses.target_bridges import Axi4ToApb, Axi4ToAxiLite, Axi4ToWishbone
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

PENDING = 2
"""Places of the bridges' queues in the proofs."""


def _apb(harness: BusHarness) -> Bursts:
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


def _apb_rules(harness: BusHarness) -> None:
    owed = _apb(harness).owed
    axi_answers_are_held(harness, harness.manager)
    owed.data_is_not_early(harness)
    owed.outcome_is_not_early(harness)
    harness.cover(harness.manager.taken("r") & ~harness.manager["rlast"])
    harness.cover(harness.manager.taken("b"))


def _apb_answers(harness: BusHarness) -> None:
    bursts = _apb(harness)
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
    told = Cat(axi["bresp"][1], axi["bid"])
    harness.claim(~axi["bvalid"] | ((told == outcome) & ~axi["bresp"][0]))
    harness.cover(axi.taken("b") & (axi["bresp"] == 2))


def _wishbone(harness: BusHarness) -> tuple[Bursts, WishboneOwed]:
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


def _wishbone_rules(harness: BusHarness) -> None:
    bursts, owed = _wishbone(harness)
    wishbone_requests_are_held(harness, harness.target)
    owed.cycle_lasts(harness)
    axi_answers_are_held(harness, harness.manager)
    bursts.owed.data_is_not_early(harness)
    bursts.owed.outcome_is_not_early(harness)
    harness.cover(owed.count == PENDING)
    harness.cover(harness.manager.taken("r") & ~harness.manager["rlast"])
    harness.cover(harness.manager.taken("b") & (harness.manager["bresp"] == 2))


def _wishbone_requests(harness: BusHarness) -> None:
    """Claim that what is sent is a beat of a burst, one after the other."""
    bursts, owed = _wishbone(harness)
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


def _lite(harness: BusHarness) -> tuple[Bursts, AxiOwed]:
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


def _lite_rules(harness: BusHarness) -> None:
    bursts, behind = _lite(harness)
    axi_requests_are_held(harness, harness.target)
    axi_answers_are_held(harness, harness.manager)
    bursts.owed.data_is_not_early(harness)
    harness.claim(~harness.manager["bvalid"] | bursts.owed.addresses.any())
    harness.cover(behind.beats == PENDING)
    harness.cover(harness.manager.taken("b"))


def _lite_answers(harness: BusHarness) -> None:
    bursts, _ = _lite(harness)
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


def _one(name: str, text: str, claim: Callable[[BusHarness], None]) -> Property:
    return Property(name=name, text=text, claim=claim)


PROPERTIES: dict[str, Sequence[Property]] = {
    "axi_lite": [
        _one(
            "rules",
            "requests and answers are held (IHI 0022, A3.2.1), answers not early (A3.3.1), and "
            "one for each beat that is read and each burst that is written",
            _lite_rules,
        ),
        _one(
            "answers",
            "data passes as it is; the outcome of a write is the worst of its beats (A3.4.4)",
            _lite_answers,
        ),
    ],
    "wishbone": [
        _one(
            "rules",
            "requests are held in a cycle that lasts to its answers (WISHBONE B4, 3.25, 3.1.3, "
            "3.2); answers are held (IHI 0022, A3.2.1) and not early (A3.3.1), have space, and are "
            "one for each beat that is read and each burst that is written",
            _wishbone_rules,
        ),
        _one(
            "requests",
            "a request is the next beat of a burst, each once, with the data and bytes of W",
            _wishbone_requests,
        ),
    ],
    "apb": [
        _one(
            "rules",
            "transfers have a cycle of setup, then access, and are stable (IHI 0024, 3, 4.1); "
            "answers are held (IHI 0022, A3.2.1), not early (A3.3.1), and one for each beat that "
            "is read and each burst that is written",
            _apb_rules,
        ),
        _one(
            "answers",
            "each read is the beat of R with its data, its identifier and its burst's last; a "
            "burst has failed if one of its writes has",
            _apb_answers,
        ),
    ],
}
"""Properties of the bridges by the kind of their peripheral's bus."""
