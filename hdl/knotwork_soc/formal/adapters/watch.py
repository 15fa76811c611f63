"""Proof of a clock watch: it tells every stopped clock in time, and none that runs."""

from amaranth.hdl import DomainRenamer, Elaboratable, Mux
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ...gateware.adapters import ClockWatch
from .edges import AnyEdges

TIMEOUT = 9
"""Cycles in a proof."""
PERIOD = (TIMEOUT - 3) // 3
"""Cycles of the network in the longest period of a clock that counts as running."""


class _LeftWatch(ClockWatch):
    """Clock watch of the network's clock ``left``."""

    def elaborate(self, platform: object) -> Elaboratable:  # pyright: ignore
        return DomainRenamer("left")(super().elaborate(platform))


def _watch() -> AnyEdges:
    return AnyEdges(lambda: _LeftWatch(timeout=TIMEOUT, domain="right"))


class WatchHarness(ComponentHarness):
    """Harness of a clock watch; ``left`` is the network's clock, ``right`` the watched one.

    Members
    -------
    since : Value
        Edges of the network's clock after the last edge of the watched one.
    heard : Value
        Edges of the watched clock after it was asked last, up to two.
    back : Value
        Edges of the network's clock since there were two.
    """

    def __init__(self) -> None:
        super().__init__(_watch())
        ours, theirs = self.port("left_edge"), self.port("right_edge")
        self.stopped = self.port("stopped")
        self.asked = self.inside("timed.there_cdc_asked")
        self.there = [self.inside(f"timed.there_cdc.stage{n}") for n in (0, 1)]
        self.answer = [self.inside(f"timed.back_cdc.stage{n}") for n in (0, 1)]
        self.cycles = self.inside("timed.cycles", TIMEOUT.bit_length())
        self.since = self.register(range(TIMEOUT + 7), "since")
        self.heard, self.back = self.register(2, "heard"), self.register(2, "back")
        asks = ours & (self.answer[1] == self.asked)
        self.m.d.sync += [
            self.since.eq(Mux(theirs, 0, self.since + (ours & (self.since != TIMEOUT + 6)))),
            self.heard.eq(Mux(asks, 0, self.heard + (theirs & (self.heard != 2)))),
            self.back.eq(Mux(asks, 0, self.back + (ours & (self.heard == 2)))),
        ]


def _rises(harness: WatchHarness) -> None:
    since, there = harness.since, harness.there[1]
    harness.claim((since < 1) | (harness.answer[0] == there))
    harness.claim((since < 2) | (harness.answer[1] == there))
    harness.claim((since < 3) | (harness.asked != there))
    for number in range(3, TIMEOUT + 4):
        harness.claim((since < number) | (harness.cycles >= number - 3))
    harness.claim(harness.cycles <= TIMEOUT)
    harness.claim((since < TIMEOUT + 4) | harness.stopped)
    harness.cover(since == TIMEOUT + 4)


def _answers(harness: WatchHarness) -> None:
    """What each register knows, from how many edges there were."""
    asked, heard, back = harness.asked, harness.heard, harness.back
    harness.claim(heard <= 2)
    for number, stage in enumerate(harness.there):
        harness.claim((heard <= number) | (stage == asked))
    for number, stage in enumerate(harness.answer):
        harness.claim((back <= number) | (stage == asked))
    harness.claim((heard == 2) | (back == 0))


def _falls(harness: WatchHarness) -> None:
    _answers(harness)
    harness.claim(harness.back <= 2)
    harness.cover(harness.stopped & (harness.back == 2))


def _runs(harness: WatchHarness) -> None:
    _answers(harness)
    harness.environment(harness.since <= PERIOD)
    most = Mux(
        harness.heard == 0,
        harness.since,
        Mux(
            harness.heard == 1,
            harness.since + PERIOD + 1,
            harness.back + 2 * PERIOD + 2,
        ),
    )
    harness.claim(harness.cycles <= most)
    harness.claim(~harness.stopped)
    harness.cover(harness.cycles == 2 * PERIOD)


def clock_watch_proofs() -> ComponentProofs:
    """Proofs of `ClockWatch` with a timeout of nine cycles, at any order of clock edges."""
    rises = Property(
        name="rises",
        text="a clock that stands still is told within timeout + 5 cycles",
        claim=_rises,
        cover=30,
    )
    falls = Property(
        name="falls",
        text="three edges of the clock and three cycles end it",
        claim=_falls,
        cover=40,
    )
    runs = Property(
        name="runs",
        text="a clock of which three periods and three cycles fit into timeout is never told",
        claim=_runs,
    )
    return ComponentProofs(_watch, WatchHarness, [rises, falls, runs])
