"""Proof of an event crossing: every pulse comes out once, at any order of clock edges."""

from itertools import pairwise

from amaranth.hdl import Cat, Mux, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ...gateware.adapters import EventCrossing
from .edges import AnyEdges

_WIDTH = 3
"""Bits of the counter in a proof."""


def _events() -> AnyEdges:
    return AnyEdges(lambda: EventCrossing(width=_WIDTH, i_domain="left", o_domain="right"))


class EventsHarness(ComponentHarness):
    """Harness of an event crossing, in which fewer pulses wait than its counter can tell.

    Members
    -------
    row : list of Value
        Pulses that were put in, as far as each register on the way knows, the newest first; the
        last are those that came out.
    gaps : list of Value
        By how much each is ahead of the next.
    waiting : Value
        Pulses that have not come out.
    """

    begins_anywhere = False  # as a `CrossingHarness`

    def __init__(self) -> None:
        super().__init__(_events())
        self.count, self.gray, self.told = (
            self.inside(f"timed.{name}", _WIDTH) for name in ("count", "gray_cdc_gray", "told")
        )
        self.stages = [self.inside(f"timed.gray_cdc.stage{n}", _WIDTH) for n in (0, 1)]
        self.row = [self.count, *map(self._number, self.stages), self.told]
        self.gaps = [self.named((new - old)[:_WIDTH], "gap") for new, old in pairwise(self.row)]
        self.puts = self.port("i") & self.port("left_edge")
        self.takes = self.port("o") & self.port("right_edge")
        self.waiting = self.named((self.count - self.told)[:_WIDTH], "waiting")
        self.environment(~self.puts | (self.waiting != (1 << _WIDTH) - 1))

    def _number(self, gray: Value) -> Value:
        return self.named(Cat(gray[place:].xor() for place in range(len(gray))), "number")


def _once(harness: EventsHarness) -> None:
    """What was put in is what came out and what waits."""
    put, taken = (harness.register(_WIDTH, name) for name in ("put", "taken"))
    before = harness.register(_WIDTH, "before")
    harness.m.d.sync += [
        put.eq(put + harness.puts),
        taken.eq(taken + harness.takes),
        before.eq(harness.gray),
    ]
    steps = harness.gray ^ before
    harness.claim((steps & (steps - 1)[:_WIDTH]) == 0)
    harness.claim(harness.count == put)
    harness.claim(harness.told == (taken + harness.port("o"))[:_WIDTH])
    harness.claim(harness.gray == (harness.count ^ harness.count[1:]))
    harness.claim(sum(harness.gaps[1:], harness.gaps[0]) < 1 << _WIDTH)
    harness.cover((put - taken)[:_WIDTH] == (1 << _WIDTH) - 1)
    harness.cover((taken == 0) & (put == 0) & harness.takes)


def _soon(harness: EventsHarness) -> None:
    """A pulse that waits comes out at the third edge of the other clock, or follows another."""
    edges = harness.register(2, "edges")
    waits = harness.waiting != 0
    ahead = harness.gaps[-1] != 0
    with harness.m.If(harness.port("right_edge")):
        harness.m.d.sync += edges.eq(Mux(waits & ~ahead, edges + 1, 0))
    harness.claim((edges == 0) | (harness.gaps[1] + harness.gaps[2] != 0))
    harness.claim((edges < 2) | ahead)
    harness.claim(edges <= 2)
    harness.cover(edges == 2)


def event_crossing_proofs() -> ComponentProofs:
    """Proofs of `EventCrossing`, with a counter of three bits."""
    once = Property(
        name="once",
        text="every pulse comes out once; the Gray counter changes by one bit at most",
        claim=_once,
        cover=30,
    )
    soon = Property(
        name="soon",
        text="while a pulse waits, one comes out at the third edge of the other clock or before",
        claim=_soon,
        lemmas=(once,),
    )
    return ComponentProofs(_events, EventsHarness, [once, soon])
