"""Proofs of crossings of streams and events, and of clock watches, for all orders of edges."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from amaranth.hdl import (
    Array,
    Cat,
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    Elaboratable,
    EnableInserter,
    Fragment,
    Module,
    Mux,
    ResetSignal,
    Signal,
    Value,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.elaboration import Elaboration
from knotwork.formal.harness import Harness
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove
from knotwork.untyped import Interface

from ...emit.shells import stream_shell, stream_verilog
from ...gateware.adapters import ClockWatch, Crossing, EventCrossing
from ..library import crossing_queue, queue_words, synchronizer_stages

EDGES = {"i": "left_edge", "o": "right_edge"}
"""Port with the edges of the clock of a crossing's side."""


class _Timed(wiring.Component):
    """Component with the members of another one, and with inputs of one bit that time it."""

    def __init__(self, make: Callable[[], Interface], *inputs: str) -> None:
        self._make = make
        pattern = make()
        pattern._MustUse__used = True
        self._members = dict(pattern.signature.members.items())
        super().__init__({**self._members, **dict.fromkeys(inputs, In(1))})

    def _join(self, m: Module, timed: Interface) -> None:
        """Let the members be those of the other one."""
        for name, member in self._members.items():
            outer, inner = getattr(self, name), getattr(timed, name)
            if not member.is_port:
                wiring.connect(m, wiring.flipped(outer), inner)
            else:
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)


class AnyEdges(_Timed):
    """Component with the clocks ``left`` and ``right``, whose edges the harness chooses.

    Parameters
    ----------
    make : callable
        Makes the component; its members are those of this one too.

    Members
    -------
    left_edge, right_edge : In(1)
        The clock has an edge in this cycle.

    The component itself is ``timed`` in the Verilog.
    """

    left_edge: Signal
    right_edge: Signal

    def __init__(self, make: Callable[[], Interface]) -> None:
        super().__init__(make, "left_edge", "right_edge")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        edges = {"left": self.left_edge, "right": self.right_edge}
        timed = self._make()
        # Registers of a module that is placed would not wait for the edges: they are written here.
        at_edges = EnableInserter(edges)(Fragment.get(timed, None))
        m.submodules.timed = DomainRenamer({"left": "sync", "right": "sync"})(at_edges)
        self._join(m, timed)
        return m


class AnyClocks(_Timed):
    """Component whose clocks ``left`` and ``right``, and their resets, are ports.

    Parameters
    ----------
    make : callable
        Makes the component, with ``sync`` for ``left``; its members are those of this one too.

    Members
    -------
    left_clk, left_rst, right_clk, right_rst : In(1)
        Clocks and resets, high and low at any time.

    The component itself is ``timed`` in the Verilog.
    """

    left_clk: Signal
    left_rst: Signal
    right_clk: Signal
    right_rst: Signal

    def __init__(self, make: Callable[[], Interface]) -> None:
        super().__init__(make, "left_clk", "left_rst", "right_clk", "right_rst")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.left = ClockDomain(local=True)
        m.domains.right = ClockDomain(local=True)
        m.d.comb += [
            ClockSignal("left").eq(self.left_clk),
            ResetSignal("left").eq(self.left_rst),
            ClockSignal("right").eq(self.right_clk),
            ResetSignal("right").eq(self.right_rst),
        ]
        timed = self._make()
        m.submodules.timed = DomainRenamer("left")(timed)
        self._join(m, timed)
        return m


MODULE = "crossing"
DEPTH, BITS = 4, 2
"""Words, and their bits, in a proof."""
_WIDTH = DEPTH.bit_length()


def _crossing() -> AnyEdges:
    return AnyEdges(
        lambda: Crossing(shape=BITS, depth=DEPTH, i_domain="left", o_domain="right"),
    )


class CrossingHarness(Harness):
    """Harness of a crossing and its clocks.

    Members
    -------
    fifo, queue : AsyncFIFO, CrossingQueue
        The crossing's FIFO, and the wires within.
    """

    keeps_memories = False
    begins_anywhere = False  # `resets` proves that both sides are in reset for long enough

    def __init__(self) -> None:
        component = _crossing()
        super().__init__(MODULE, *stream_shell(component).widths, Elaboration(component))
        self.fifo = self.component("timed", Crossing).fifo
        self.queue = crossing_queue(self, self.fifo)

    def number(self, gray: Value) -> Value:
        """Number that a Gray code stands for."""
        return self.named(Cat(gray[place:].xor() for place in range(len(gray))), "number")

    def moves(self, side: str) -> Value:
        """Whether a word is handed over, at an edge of the side's clock."""
        valid, ready = self.port(f"{side}_tvalid"), self.port(f"{side}_tready")
        return valid & ready & self.port(EDGES[side])


def _pointers(harness: CrossingHarness) -> None:
    """Neither side passes the other, as far as either knows; Gray codes go step by step."""
    put, taken = (harness.register(_WIDTH, name) for name in ("put", "taken"))
    harness.m.d.sync += [put.eq(put + harness.moves("i")), taken.eq(taken + harness.moves("o"))]
    produce, consume = harness.queue.produce, harness.queue.consume
    produced, consumed, heard = produce.binary, consume.binary, produce.stages
    # The reading side leaves its reset a cycle or two after the other, having heard of nothing.
    first, second = harness.queue.reset
    harness.claim(~first | (put == 0))
    harness.claim(~second | ((taken == 0) & (heard[0] == 0) & (heard[1] == 0)))
    harness.claim(produced == put)
    harness.claim(consumed == taken)
    for name, (pointer, code, _) in (("produce", produce), ("consume", consume)):
        before = harness.register(_WIDTH, name)
        harness.m.d.sync += before.eq(code)
        steps = code ^ before
        harness.claim((steps & (steps - 1)[:_WIDTH]) == 0)
        harness.claim(code == (pointer ^ pointer[1:]))
    # From the newest to the oldest: what each side has sent, and the other has seen of it.
    row: list[Value] = [produced]
    row += map(harness.number, produce.stages)
    row += [consumed]
    row += map(harness.number, consume.stages)
    gaps = [(one - other)[:_WIDTH] for one, other in pairwise(row)]
    harness.claim(sum(gaps[1:], gaps[0]) <= DEPTH)
    harness.cover((produced - consumed)[:_WIDTH] == DEPTH)


def _words(harness: CrossingHarness) -> None:
    """What is read is what was written at its place; a place is written when it is free."""
    harness.environment(harness.running | ~harness.port("i_tvalid"))  # no words in a reset
    produce, consumed = harness.queue.produce, harness.queue.consume.binary
    words = [harness.register(BITS, f"word_{place}") for place in range(DEPTH)]
    stored = queue_words(harness, harness.fifo)
    for place, (word, inside) in enumerate(zip(words, stored, strict=True)):
        with harness.m.If(harness.moves("i") & (produce.binary[:-1] == place)):
            harness.m.d.sync += word.eq(harness.port("i_tdata"))
        harness.claim(inside == word)
    heard = harness.number(produce.stages[-1])
    read = harness.named(Array(words)[consumed[:-1]], "read")
    harness.claim((heard == consumed) | (harness.port("o_tdata") == read))
    harness.claim(~harness.port("o_tvalid") | (heard != consumed))
    harness.cover(harness.moves("o") & (harness.port("o_tdata") == BITS))


def crossing_properties() -> list[Property]:
    """What is proven of a crossing."""
    pointers = Property(
        name="pointers",
        text="no word is lost or read twice; a Gray code changes by one bit at most",
        claim=_pointers,
        cover=20,
    )
    words = Property(
        name="words",
        text="the words that are read are those that were written, in order",
        claim=_words,
        lemmas=(pointers,),
    )
    return [pointers, words]


def crossing_verilog() -> str:
    """Verilog of a crossing, its module named `MODULE`."""
    return stream_verilog(_crossing(), MODULE)


def prove_crossing(verilog: str | None = None) -> Iterator[Result]:
    """Prove all, of this Verilog in place of the crossing's own if given."""
    text = crossing_verilog() if verilog is None else verilog
    return prove(MODULE, text, CrossingHarness, crossing_properties())


_COUNT = 3
"""Bits of the counter in a proof."""


def _events() -> AnyEdges:
    return AnyEdges(lambda: EventCrossing(width=_COUNT, i_domain="left", o_domain="right"))


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
        crossing = self.component("timed", EventCrossing)
        self.count, self.gray, self.emitted = map(
            self.probe, (crossing.count, crossing.gray, crossing.emitted)
        )
        self.stages = synchronizer_stages(self, crossing.gray_cdc)
        self.row = [self.count, *map(self._number, self.stages), self.emitted]
        self.gaps = [self.named((new - old)[:_COUNT], "gap") for new, old in pairwise(self.row)]
        self.puts = self.port("i") & self.port("left_edge")
        self.takes = self.port("o") & self.port("right_edge")
        self.waiting = self.named((self.count - self.emitted)[:_COUNT], "waiting")
        self.environment(~self.puts | (self.waiting != (1 << _COUNT) - 1))

    def _number(self, gray: Value) -> Value:
        return self.named(Cat(gray[place:].xor() for place in range(len(gray))), "number")


def _once(harness: EventsHarness) -> None:
    """What was put in is what came out and what waits."""
    put, taken = (harness.register(_COUNT, name) for name in ("put", "taken"))
    before = harness.register(_COUNT, "before")
    harness.m.d.sync += [
        put.eq(put + harness.puts),
        taken.eq(taken + harness.takes),
        before.eq(harness.gray),
    ]
    steps = harness.gray ^ before
    harness.claim((steps & (steps - 1)[:_COUNT]) == 0)
    harness.claim(harness.count == put)
    harness.claim(harness.emitted == (taken + harness.port("o"))[:_COUNT])
    harness.claim(harness.gray == (harness.count ^ harness.count[1:]))
    harness.claim(sum(harness.gaps[1:], harness.gaps[0]) < 1 << _COUNT)
    harness.cover((put - taken)[:_COUNT] == (1 << _COUNT) - 1)
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
        Edges of the watched clock after the last request, up to two.
    back : Value
        Edges of the network's clock since there were two.
    """

    def __init__(self) -> None:
        super().__init__(_watch())
        ours, theirs = self.port("left_edge"), self.port("right_edge")
        self.stopped = self.port("stopped")
        watch = self.component("timed", ClockWatch)
        self.requested, self.cycles = self.probe(watch.requested), self.probe(watch.cycles)
        self.there = synchronizer_stages(self, watch.there_cdc)
        self.answer = synchronizer_stages(self, watch.back_cdc)
        self.since = self.register(range(TIMEOUT + 7), "since")
        self.heard, self.back = self.register(2, "heard"), self.register(2, "back")
        begins = ours & (self.answer[1] == self.requested)
        self.m.d.sync += [
            self.since.eq(Mux(theirs, 0, self.since + (ours & (self.since != TIMEOUT + 6)))),
            self.heard.eq(Mux(begins, 0, self.heard + (theirs & (self.heard != 2)))),
            self.back.eq(Mux(begins, 0, self.back + (ours & (self.heard == 2)))),
        ]


def _rises(harness: WatchHarness) -> None:
    since, there = harness.since, harness.there[1]
    harness.claim((since < 1) | (harness.answer[0] == there))
    harness.claim((since < 2) | (harness.answer[1] == there))
    harness.claim((since < 3) | (harness.requested != there))
    for number in range(3, TIMEOUT + 4):
        harness.claim((since < number) | (harness.cycles >= number - 3))
    harness.claim(harness.cycles <= TIMEOUT)
    harness.claim((since < TIMEOUT + 4) | harness.stopped)
    harness.cover(since == TIMEOUT + 4)


def _answers(harness: WatchHarness) -> None:
    """What each register knows, from how many edges there were."""
    requested, heard, back = harness.requested, harness.heard, harness.back
    harness.claim(heard <= 2)
    for number, stage in enumerate(harness.there):
        harness.claim((heard <= number) | (stage == requested))
    for number, stage in enumerate(harness.answer):
        harness.claim((back <= number) | (stage == requested))
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
        text="a clock that stands still is emitted within timeout + 5 cycles",
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
        text="a clock of which three periods and three cycles fit into timeout is never emitted",
        claim=_runs,
    )
    return ComponentProofs(_watch, WatchHarness, [rises, falls, runs])
