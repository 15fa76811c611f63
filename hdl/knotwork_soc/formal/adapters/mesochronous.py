"""Proof of a crossing between clocks of one frequency, of any phase.

They may wander against each other by less than a period.
"""

from collections.abc import Iterator

from amaranth.hdl import Array, Mux, Value
from knotwork.formal.elaboration import Elaboration
from knotwork.formal.harness import Harness
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove

from ...emit.shells import stream_shell, stream_verilog
from ...gateware.adapters import MesochronousCrossing, PhaseRing
from ...gateware.adapters.crossings import SLOTS
from ..library import synchronizer_stages
from .crossings import EDGES, AnyEdges

MODULE = "mesochronous"
DEPTH, BITS = 4, 2
"""Words, and their bits, in a proof."""
_TURN = SLOTS.bit_length()
_COUNT = DEPTH.bit_length()


def _crossing() -> AnyEdges:
    return AnyEdges(
        lambda: MesochronousCrossing(shape=BITS, depth=DEPTH, i_domain="left", o_domain="right"),
    )


class MesochronousHarness(Harness):
    """Harness of a mesochronous crossing and its clocks.

    Edge n of one clock comes after edge n - 1 of the other, and before edge n + 1: where in this
    window, changes freely from edge to edge. `ahead` counts the edges of `i` beyond those of `o`,
    from any of its values on.

    Members
    -------
    ahead : Value
        0: the next edge is one of `i`; 1: of either, or of both; 2: of `o`.
    crossing : MesochronousCrossing
        The crossing.
    put, taken : Value
        Words that were handed over at `i` and at `o`, modulo twice the depth.
    """

    keeps_memories = False
    begins_anywhere = False  # as a `CrossingHarness`

    def __init__(self) -> None:
        component = _crossing()
        super().__init__(MODULE, *stream_shell(component).widths, Elaboration(component))
        self.crossing = self.component("timed", MesochronousCrossing)
        i_edge, o_edge = self.port(EDGES["i"]), self.port(EDGES["o"])
        start, beyond = self.any_constant(2), self.register(2, "beyond")
        self.m.d.sync += beyond.eq(beyond + i_edge - o_edge)
        self.ahead = self.named((start + beyond)[:2], "ahead")
        self.environment(start <= 2)
        self.environment(self.running | ~(i_edge | o_edge))
        self.environment(Mux(self.ahead == 0, ~o_edge, (self.ahead == 1) | ~i_edge))
        self.put, self.taken = (self.register(_COUNT, name) for name in ("put", "taken"))
        self.m.d.sync += [
            self.put.eq(self.put + self.moves("i")),
            self.taken.eq(self.taken + self.moves("o")),
        ]

    def moves(self, side: str) -> Value:
        """Whether a word is handed over, at an edge of the side's clock."""
        valid, ready = self.port(f"{side}_tvalid"), self.port(f"{side}_tready")
        return valid & ready & self.port(EDGES[side])

    def under_way(self, ring: PhaseRing) -> Value:
        """Pulses that a ring's reader has yet to come to."""
        place, slots, gap = self.probe(ring.place), self.probe(ring.slots), self.gap(ring)
        found = [
            Mux(gap > step, slots.bit_select((place + step)[: _TURN - 1], 1), 0)
            for step in range(SLOTS)
        ]
        return self.named(sum(found[1:], found[0])[:_COUNT], "under_way")

    def gap(self, ring: PhaseRing) -> Value:
        """Places from the one that is read next to the one that is written next."""
        return self.named((self.probe(ring.turn) - self.probe(ring.place))[:_TURN], "gap")


def _ring(harness: MesochronousHarness, ring: PhaseRing, edge: Value, ahead: Value) -> None:
    """What is read was written before, and is not being written.

    The reader keeps what it saw: the writer's turn, and by how much it was ahead, at the last three
    edges of the reader's clock.
    """
    turn, place, aligned = map(harness.probe, (ring.turn, ring.place, ring.aligned))
    stages = [*synchronizer_stages(harness, ring.mark_cdc), harness.probe(ring.earlier)]
    age = harness.register(2, "age")
    turns, aheads = (
        [harness.register(bits, f"{name}_{number}") for number in range(3)]
        for name, bits in (("turn", _TURN), ("ahead", 2))
    )
    with harness.m.If(edge):
        harness.m.d.sync += age.eq(Mux(age == 3, 3, age + 1))
        for row, newest in ((turns, turn), (aheads, ahead)):
            harness.m.d.sync += [old.eq(new) for old, new in zip(row, [newest, *row], strict=False)]
    newer = [turn, *turns], [ahead, *aheads]
    for number, stage in enumerate(stages):
        known = age > number
        harness.claim(~known | (stage == turns[number][-1]))
        harness.claim(known | (stage == 0) | (number == 2))
        harness.claim(~known | aheads[number].matches(1, 2))
        step = (newer[0][number] - newer[0][number + 1])[:_TURN]
        went = (newer[1][number] - newer[1][number + 1] + 1)[:_TURN]
        harness.claim(~known | (step == went))
    harness.claim((age != 0) | (turn <= ahead))
    for number in (1, 2):
        harness.claim((age != number) | (turns[number - 1] <= 2))
    distance = (harness.gap(ring) - ahead)[:_TURN]
    harness.claim(~aligned | ((age == 3) & distance.matches(0, 1)))
    writes = harness.port(EDGES["i"]) & harness.port(EDGES["o"])
    gap = harness.gap(ring)
    harness.claim(~(edge & aligned) | gap.matches(1, 2) | ((gap == 3) & ~writes))
    harness.claim(~harness.probe(ring.slipped))
    harness.cover(aligned & edge & (gap == 1))
    harness.cover(aligned & edge & (gap == 3))
    harness.cover(aligned & (place == 0))


def _rings(harness: MesochronousHarness) -> None:
    ahead, crossing = harness.ahead, harness.crossing
    harness.claim(ahead <= 2)
    _ring(harness, crossing.come, harness.port(EDGES["o"]), ahead)
    behind = harness.named((2 - ahead)[:2], "behind")
    _ring(harness, crossing.gone, harness.port(EDGES["i"]), behind)


def _counts(harness: MesochronousHarness) -> None:
    """Every place is free, owed, under way, or has a word, and both sides know their own."""
    crossing = harness.crossing
    rings = (crossing.come, crossing.gone)
    free, held, owed = map(harness.probe, (crossing.free, crossing.held, crossing.owed))
    come, gone = map(harness.under_way, rings)
    here, there = (harness.probe(ring.aligned) for ring in rings)
    stages = synchronizer_stages(harness, crossing.open_cdc)
    words = harness.named((harness.put - harness.taken)[:_COUNT], "words")
    begun = here & stages[1]
    harness.claim(~stages[0] | there)
    harness.claim(~stages[1] | stages[0])
    for ring in rings:
        harness.claim(begun | (harness.probe(ring.slots) == 0))
    harness.claim(begun | ((free == 0) & (held == 0) & (owed == DEPTH) & (words == 0)))
    harness.claim(~begun | (held + come == words))
    harness.claim(~begun | (free + gone + owed + words == DEPTH))
    harness.cover(words == DEPTH)
    harness.cover(begun & (free == DEPTH))


def _words(harness: MesochronousHarness) -> None:
    """What is read is what was written at its place; a place is written when it is free."""
    harness.environment(harness.running | ~harness.port("i_tvalid"))  # no words in a reset
    crossing = harness.crossing
    put, taken = harness.probe(crossing.put), harness.probe(crossing.taken)
    harness.claim(put == harness.put[:-1])
    harness.claim(taken == harness.taken[:-1])
    words = [harness.register(BITS, f"word_{place}") for place in range(DEPTH)]
    stored = harness.probe_words(crossing.read_word, range(DEPTH))
    for place, (word, inside) in enumerate(zip(words, stored, strict=True)):
        with harness.m.If(harness.moves("i") & (put == place)):
            harness.m.d.sync += word.eq(harness.port("i_tdata"))
        harness.claim(inside == word)
    held = (harness.put - harness.taken)[:_COUNT]
    offered, read = harness.port("o_tvalid"), Array(words)[harness.taken[:-1]]
    harness.claim(~offered | ((held != 0) & (harness.port("o_tdata") == read)))
    harness.claim(~harness.moves("i") | (held != DEPTH))
    harness.claim_held(
        offered,
        harness.port("o_tready") & harness.port(EDGES["o"]),
        harness.port("o_tdata"),
        "o",
    )
    harness.cover(harness.moves("o") & (harness.port("o_tdata") == BITS))


def mesochronous_properties() -> list[Property]:
    """What is proven of a mesochronous crossing."""
    rings = Property(
        name="rings",
        text="no pulse is read before it is written, nor while its place is written; none slips",
        claim=_rings,
        cover=30,
    )
    counts = Property(
        name="counts",
        text="every place is free, owed, under way or has a word",
        claim=_counts,
        lemmas=(rings,),
        cover=60,
    )
    words = Property(
        name="words",
        text="the words that are read are those that were written, in order",
        claim=_words,
        lemmas=(rings, counts),
        cover=60,
    )
    return [rings, counts, words]


def mesochronous_verilog() -> str:
    """Verilog of a mesochronous crossing, its module named `MODULE`."""
    return stream_verilog(_crossing(), MODULE)


def prove_mesochronous(verilog: str | None = None) -> Iterator[Result]:
    """Prove all, of this Verilog in place of the crossing's own if given."""
    text = mesochronous_verilog() if verilog is None else verilog
    return prove(MODULE, text, MesochronousHarness, mesochronous_properties())
