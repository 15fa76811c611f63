"""Proofs of a merge: every contribution counts once, messages do not mix, differences are named."""

from collections.abc import Callable
from functools import partial, reduce
from itertools import pairwise
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.collectives.merge import BRANCHES, FLAGS, CollectiveMerge
from ...gateware.collectives.messages import flit_layout, view_header
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...routing.collectives import Collective, MessageFormat, Operation
from ...untyped import View
from ..component import ComponentHarness, ComponentProofs, Stream
from ..property import Property

Claim = Callable[["MergeHarness"], None]


def _lesser(one: Value, other: Value) -> Value:
    return Mux(one <= other, one, other)


def _greater(one: Value, other: Value) -> Value:
    return Mux(one >= other, one, other)


PAIRS = {
    "sum": lambda one, other: one + other,
    "min": _lesser,
    "max": _greater,
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "xor": lambda one, other: one ^ other,
}
"""What each operation makes of two elements."""


def combined(operation: Operation, beats: list[Value]) -> Value:
    """Beats combined element by element, one behind the other."""
    bits = operation.element_width

    def elements(beat: Value) -> list[Value]:
        found = [beat[low : low + bits] for low in range(0, len(beat), bits)]
        return [one.as_signed() if operation.signed else one for one in found]

    pair = PAIRS[operation.name]

    def combine(one: Value, other: Value) -> Value:
        joined = zip(elements(one), elements(other), strict=True)
        return Cat(Value.cast(pair(*both))[:bits] for both in joined)

    return reduce(combine, beats)


class Made(NamedTuple):
    """Flit that was made of those that moved, see `MergeHarness`."""

    shows: Signal
    is_header: Signal
    is_passed: Signal
    is_known: Signal
    flit: View


class MergeHarness(ComponentHarness):
    """Harness of a merge, whose branches keep what they offer, and the message under way.

    As `sender_proofs` and `headers` show of branches, a header is marked as a part if only one
    node sends the like, and it is alone in barriers and in messages that are marked; only a header
    of what all send is marked, or the last flit of what is combined.

    Members
    -------
    branches : list of Stream
        What the branches offer.
    combines, passes, drains : Value
        Behind its header, a message of all branches is combined; messages are passed, one branch's
        after the other's; the rest of messages is dropped.
    open : Value
        Branches whose messages under way have not ended.
    chosen : Value
        In the cycle before one sender's message was chosen.
    heads : Value
        The header of a message that was chosen has not moved.
    operation : Value
        Operation of the message that is combined.
    shows : Value
        A flit was made of those that moved, and is at the end of its way; it has not left.
    flit : View
        What it must be, but for what is above a header.
    is_header, is_passed : Value
        It is a header; it is of a message that is passed.
    is_known : Value
        Its data are not a result of an operation of the user's, of which nothing is known.
    stages : list of Made
        These of all flits on their way through operations that take cycles, the last one's last.
    """

    def __init__(self, form: MessageFormat) -> None:
        merge = CollectiveMerge(form)
        super().__init__(merge)
        self.form, self.merge, self.count = form, merge, BRANCHES
        self.o, layout = self.stream("o"), flit_layout(form)
        self.branches = []
        for number in range(BRANCHES):
            valid, ready, payload = (
                self.port(f"i_{number}_{one}") for one in ("valid", "ready", "payload")
            )
            self.branches.append(Stream(valid, ready, data.View(layout, payload)))
            with self.assuming():
                self.claim_held(valid, ready, payload, f"i_{number}")
        self.combines, self.passes, self.drains = (
            self.register(1, name) for name in ("combines", "passes", "drains")
        )
        self.chosen, self.heads = self.register(1, "chosen"), self.register(1, "heads")
        # Which one was chosen, the merge says; that it was offered, `passing` claims.
        self.opened = self.register(BRANCHES, "opened")
        self.open = self.named(Mux(self.chosen, self.probe(merge.is_open), self.opened), "open")
        self.operation = self.register(form.operation_bits, "operation")
        cycles = form.merge_cycles
        self.stages = [self._made(f"_{left}" if left else "") for left in range(cycles, -1, -1)]
        self.shows, self.is_header, self.is_passed, self.is_known, self.flit = self.stages[-1]
        for number, (branch, header) in enumerate(zip(self.branches, self.headers, strict=True)):
            is_header = branch.valid & (~self.open[number] | self.heads)
            is_single = header.kind >= Collective.BROADCAST
            self.assume(~is_header | (branch.payload.part == is_single))
            ends = is_header & branch.payload.last & ~branch.payload.fault
            self.assume(~ends | (header.kind == Collective.BARRIER))
            marked = branch.valid & branch.payload.fault
            self.assume(~(marked & is_header) | ~is_single)
            self.assume(~(marked & ~is_header) | (branch.payload.last & ~self.passes))
        self._watch()
        self._expect()

    def _watch(self) -> None:
        m, begins = self.m, self.singles.any()
        left = self.named(self.open & ~(self.moves & self.lasts), "left")
        m.d.sync += [self.opened.eq(left), self.chosen.eq(begins)]
        with m.If(begins):
            m.d.sync += [self.passes.eq(1), self.heads.eq(1)]
        with m.Elif(self.moves.any()):
            m.d.sync += self.heads.eq(0)
        with m.If(self.drains):
            m.d.sync += self.drains.eq(left.any())
        with m.Elif(self.passes & self.moves.any()):
            m.d.sync += self.passes.eq(left.any())
        with m.Elif(self.together & self.moves.any()):
            some, every = self.lasts.any(), self.lasts.all()
            m.d.sync += [
                self.opened.eq(~self.lasts),
                self.passes.eq(self.gathers & ~every),
                self.combines.eq(~self.gathers & ~some),
                self.drains.eq(~self.gathers & some & ~every),
            ]
            with m.If(self.starts):
                m.d.sync += self.operation.eq(self.headers[0].operation)

    def _made(self, end: str) -> "Made":
        return Made(
            shows=self.register(1, f"shows{end}"),
            is_header=self.register(1, f"is_header{end}"),
            is_passed=self.register(1, f"is_passed{end}"),
            is_known=self.register(1, f"is_known{end}"),
            flit=self.record(flit_layout(self.form), f"flit{end}"),
        )

    def _expect(self) -> None:
        """Make of the flits that move the one that must leave in the cycle after, or later."""
        m, makes, made = self.m, self.makes, self.stages[0]
        combines = self.combines & ~self.user_defined(self.operation)
        with m.If(makes):
            m.d.sync += [
                made.shows.eq(1),
                made.is_header.eq(self.idle | self.heads),
                made.is_passed.eq(self.passes),
                made.is_known.eq(~self.combines | combines),
            ]
        with m.Elif(self.advances):
            m.d.sync += made.shows.eq(0)
        for stage, after in pairwise(self.stages):
            with m.If(self.advances):
                m.d.sync += [
                    Value.cast(one).eq(other) for one, other in zip(after, stage, strict=True)
                ]
        # One after the other: the last flit is that of the last branch.
        for number, branch in enumerate(self.branches):
            with m.If(makes & ~self.together & self.moves[number]):
                others = self.open & ~(1 << number)
                m.d.sync += [
                    made.flit.eq(branch.payload),
                    made.flit.last.eq(branch.payload.last & ~(self.passes & others.any())),
                ]
        with m.If(makes & self.together):
            beats = [branch.payload.data for branch in self.branches]
            results = [
                Const(0, self.form.width) if one.user_defined else combined(one, beats)
                for one in self.form.operations
            ]
            result = Array(results)[self.operation] if len(results) > 1 else results[0]
            m.d.sync += [
                made.flit.data.eq(Mux(self.starts, beats[0], result)),
                made.flit.last.eq(Mux(self.gathers, self.lasts.all(), self.lasts.any())),
                made.flit.part.eq(Cat(branch.payload.part for branch in self.branches).any()),
                made.flit.fault.eq(self.marks),
            ]

    def user_defined(self, place: Value) -> Value:
        """Whether an operation is the user's."""
        found = [
            place == number if self.form.operation_bits else Const(1)
            for number, one in enumerate(self.form.operations)
            if one.user_defined is not None
        ]
        return Cat(found).any() if found else Const(0)

    @property
    def advances(self) -> Value:
        """Whether flits on their way go on."""
        return ~self.shows | self.o.ready

    @property
    def makes(self) -> Value:
        """Whether flits move of which one is made."""
        return self.moves.any() & ~self.drains

    @property
    def headers(self) -> list[View]:
        """What the branches offer, as headers."""
        return [view_header(self.form, branch.payload) for branch in self.branches]

    @property
    def valids(self) -> Value:
        """Branches that offer a flit."""
        return Cat(branch.valid for branch in self.branches)

    @property
    def moves(self) -> Value:
        """Branches whose flit is taken."""
        return Cat(branch.moves for branch in self.branches)

    @property
    def lasts(self) -> Value:
        """Branches whose flit is their message's last."""
        return Cat(branch.payload.last for branch in self.branches)

    @property
    def idle(self) -> Value:
        """Whether no message is under way."""
        return ~(self.combines | self.passes | self.drains)

    @property
    def singles_offered(self) -> Value:
        """Branches that offer a header of one sender's message, if what they offer is a header."""
        kinds = [header.kind >= Collective.BROADCAST for header in self.headers]
        return self.valids & Cat(kinds)

    @property
    def singles(self) -> Value:
        """Branches that offer the header of one sender's message, while none is under way."""
        return self.singles_offered & self.idle.replicate(self.count)

    @property
    def starts(self) -> Value:
        """Whether a message that all send begins as soon as all offer it."""
        return self.idle & ~self.singles.any()

    @property
    def together(self) -> Value:
        """Whether flits of all branches become one."""
        return self.starts | self.combines

    @property
    def differing(self) -> list[Value]:
        """By branch: whether its header has another collective, another root than the first's."""
        first = self.headers[0]
        return [
            Cat(
                (one.kind != first.kind) | (one.operation != first.operation),
                one.root != first.root,
            )
            for one in self.headers
        ]

    @property
    def is_mixed(self) -> Value:
        """Whether the headers that begin a message of all differ."""
        return self.starts & Cat(self.differing).any()

    @property
    def came_marked(self) -> Value:
        """Whether a flit is marked."""
        return Cat(branch.payload.fault for branch in self.branches).any()

    @property
    def marks(self) -> Value:
        """Whether what is made of flits of all branches must be marked."""
        unequal = self.lasts.any() & ~self.lasts.all()
        return self.came_marked | self.is_mixed | (unequal & ~self.gathers)

    @property
    def gathers(self) -> Value:
        """Whether a gather begins, of which the branches' parts follow each other."""
        is_gather = self.headers[0].kind == Collective.GATHER
        return self.starts & ~self.lasts.any() & is_gather

    def claim_state(self) -> None:
        """Claim that the merge knows what is under way."""
        merge = self.merge
        self.claim(self.probe(merge.is_open) == self.open)
        self.claim(~self.heads | (self.passes & is_one_hot_or_zero(self.open)))
        self.claim(~self.heads | (self.valids & self.singles_offered & self.open).any())
        self.claim(~self.chosen | self.heads)
        under_way = ~self.idle
        self.claim(~under_way | (self.probe(merge.passes) == self.passes))
        self.claim(self.probe(merge.combines) == self.combines)
        if self.form.operation_bits:
            self.claim(~self.combines | (self.probe(merge.operation) == self.operation))
        self.claim(is_one_hot_or_zero(Cat(self.combines, self.passes, self.drains)))
        self.claim(self.open.any() == under_way)
        self.claim(~self.drains | ~self.open.all())
        self.claim(~self.combines | self.open.all())
        self.claim(self.o.valid == self.shows)
        for stage, made in zip(merge.stages[:-1], self.stages, strict=False):
            self.claim(self.probe(stage.valid) == made.shows)
        turn = self.probe(merge.turn)
        self.claim(is_one_hot_or_zero(turn) & turn.any())

    def claim_flit(self) -> None:
        """Claim that what leaves is what must."""
        bits = self.form.header_bits
        shown, flit = self.o.payload, self.flit
        same = shown.data[:bits] == flit.data[:bits]
        same &= self.is_header | (shown.data[bits:] == flit.data[bits:])
        same |= ~self.is_known
        same &= (shown.last == flit.last) & (shown.part == flit.part)
        self.claim(~self.shows | (same & (shown.fault == flit.fault)))
        self._claim_stages()

    def _claim_stages(self) -> None:
        """Claim that flits on their way are what must leave later."""
        bits, stages = self.form.header_bits, self.merge.stages
        if len(stages) == 1:
            return
        for place, (stage, made) in enumerate(zip(stages, self.stages, strict=True)):
            data = self.probe(stage.data)
            same = data[:bits] == made.flit.data[:bits]
            same &= made.is_header | (data[bits:] == made.flit.data[bits:])
            same |= ~made.is_known
            if place < len(stages) - 1:
                flags = self.probe_view(stage.flags)
                for name in FLAGS:
                    same &= flags[name] == made.flit[name]
            # What is combined by a user's operation is known as such wherever it is.
            sums = self.probe(stage.sums)
            by = self.probe(stage.operation) if self.form.operation_bits else Const(0)
            same &= made.is_known == ~(sums & self.user_defined(by))
            same &= made.is_known | ~(made.is_header | made.is_passed)
            self.claim(~made.shows | same)


def _claim_once(harness: MergeHarness) -> None:
    """Claim that a beat of every branch, and no other, is in a result."""
    harness.claim_state()
    harness.claim_flit()
    moves, together = harness.moves, harness.together
    harness.claim(~together | (moves == moves.any().replicate(harness.count)))
    # What was made before has left, or leaves now: none is lost.
    harness.claim(~harness.makes | harness.advances)
    makes = harness.named(harness.makes & harness.combines, "combined")
    for place in range(len(harness.form.operations)):
        harness.cover(makes & ~harness.lasts.any() & (harness.operation == place))
    harness.cover(makes & harness.lasts.all() & ~harness.marks)


def _claim_sound(harness: MergeHarness, shows: Value, flit: View, made: Made) -> None:
    """Claim what is assumed of the branches' flits, of one that was made of them."""
    header = view_header(harness.form, flit)
    is_header = harness.named(shows & made.is_header, "is_header")
    is_single = header.kind >= Collective.BROADCAST
    harness.claim(~is_header | (flit.part == is_single))
    marked = harness.named(shows & flit.fault, "marked")
    harness.claim(~(marked & made.is_header) | ~is_single)
    harness.claim(~(marked & ~made.is_header) | (flit.last & ~made.is_passed))
    ends = is_header & flit.last & ~flit.fault
    harness.claim(~ends | (header.kind == Collective.BARRIER))


def _claim_headers(harness: MergeHarness) -> None:
    """Claim that a message of all begins when all offer it, with the first branch's header."""
    harness.claim_state()
    harness.claim_flit()
    o = harness.o
    for made in harness.stages[:-1]:
        _claim_sound(harness, made.shows, made.flit, made)
    # What the merges and receivers behind this one may rely on.
    _claim_sound(harness, o.valid, o.payload, harness.stages[-1])
    header = view_header(harness.form, o.payload)
    is_header = o.valid & harness.is_header
    harness.claim(~(harness.starts & harness.moves.any()) | harness.valids.all())
    for kind in (Collective.BARRIER, Collective.ALL_REDUCE, Collective.REDUCE, Collective.GATHER):
        harness.cover(is_header & o.moves & ~o.payload.fault & (header.kind == kind))


def _claim_passing(harness: MergeHarness) -> None:
    """Claim that a message that is passed goes on to its end before any other flit."""
    harness.claim_state()
    harness.claim_flit()
    moves, passes, heads = harness.moves, harness.passes, harness.heads
    offered = harness.before(harness.singles, "offered")
    harness.claim(~harness.chosen | (harness.open.any() & ((harness.open & ~offered) == 0)))
    harness.claim(~harness.singles.any() | ~moves.any())
    lowest = harness.named(harness.open & ~(harness.open - 1)[: harness.count], "lowest")
    harness.claim(~passes | ((moves & ~lowest) == 0))
    for number, branch in enumerate(harness.branches):
        last = branch.payload.last
        harness.cover(heads & moves[number])
        harness.cover(passes & ~heads & moves[number] & last)
    # Parts of a gather follow each other.
    harness.cover(passes & moves.any() & harness.open.all())


def _claim_turns(harness: MergeHarness) -> None:
    """Claim that a header of one sender waits for one message of each other branch at most."""
    harness.claim_state()
    turn = harness.probe(harness.merge.turn)
    offered = harness.named(harness.before(harness.singles, "offered"), "offered")
    harness.claim(~harness.chosen | (turn == harness.open))
    for number in range(harness.count):
        waits = harness.named(harness.chosen & offered[number] & ~harness.open[number], "waits")
        overtaken = harness.register(range(harness.count + 1), "overtaken")
        behind = harness.named(Mux(waits, overtaken + 1, overtaken), "behind")
        with harness.m.If(harness.chosen & ~waits):
            harness.m.d.sync += overtaken.eq(0)
        with harness.m.Else():
            harness.m.d.sync += overtaken.eq(behind)
        # Branches that come before this one, from the one behind the last that began.
        before: Value = Const(0, len(overtaken))
        for last in range(harness.count):
            before = Mux(turn[last], (number - last - 1) % harness.count, before)
        harness.claim((harness.chosen & ~waits) | (behind + before < harness.count))
        harness.cover(waits & (behind == harness.count - 1))


def _claim_reports(harness: MergeHarness) -> None:
    """Claim that what differs is reported once, where it is seen first, and marked."""
    harness.claim_state()
    harness.claim_flit()
    together, moves = harness.together, harness.moves.any()
    faults = [harness.port(f"fault_{number}") for number in range(harness.count)]
    first = harness.branches[0].payload
    harness.claim(faults[0] == 0)
    for differs, branch, fault in zip(harness.differing, harness.branches, faults, strict=True):
        flit = branch.payload
        shorter = (flit.last != first.last) & ~harness.gathers
        sees = harness.named(together & moves & ~flit.fault & ~first.fault, "sees")
        expected = Mux(sees, Cat(Mux(harness.starts, differs, 0), shorter), 0)
        harness.claim(fault == harness.before(expected, "expected"))
    for place in range(3):
        harness.cover(faults[-1] == 1 << place)
    harness.cover(together & moves & ~harness.marks)


def _claim_drains(harness: MergeHarness) -> None:
    """Claim that the rest of longer messages is taken, nothing else, and that this ends."""
    harness.claim_state()
    drains, offered = harness.drains, harness.open & harness.valids
    harness.claim(~drains | (harness.moves == offered))
    left = harness.open & ~(harness.moves & harness.lasts)
    ended = harness.before(drains & ~left.any(), "ended")
    harness.claim(~ended | ~drains)
    harness.cover(ended & harness.makes)


def _claim_streams(harness: MergeHarness) -> None:
    harness.claim_state()
    harness.claim_stream("o")
    harness.cover(harness.o.valid & ~harness.o.ready & harness.valids.all())


def _claim_progress(harness: MergeHarness) -> None:
    """Claim that flits move as soon as what they need is there."""
    harness.claim_state()
    moves, room = harness.moves, harness.advances
    lowest = harness.open & ~(harness.open - 1)[: harness.count]
    begins = harness.singles.any()
    harness.claim(~(harness.valids.all() & room) | begins | moves.any())
    harness.claim(~harness.before(begins, "begins") | harness.chosen)
    harness.claim(~(harness.chosen & room) | moves.any())
    harness.claim(~(harness.passes & room & (harness.valids & lowest).any()) | moves.any())
    harness.cover(harness.valids.all() & ~begins & ~moves.any())
    harness.cover(harness.shows & harness.o.ready & moves.all())


def _claim_waits(harness: MergeHarness) -> None:
    """Claim that those are named whose message others wait for."""
    harness.claim_state()
    some = harness.valids.any() | harness.port("awaited")
    missing = Mux(harness.together & some, ~harness.valids, 0)
    harness.claim(harness.port("waits") == harness.before(missing, "missing"))
    harness.cover(harness.port("waits").any() & harness.together & harness.valids.all())


def _property(name: str, text: str, claim: Claim) -> Property:
    return Property(name=name, text=text, claim=claim)


MERGE_PROPERTIES = (
    _property(
        "once",
        "behind the header of a message that all branches send, a result is a beat of every "
        "branch, each counted once, by the operation of the header, in order",
        _claim_once,
    ),
    _property(
        "headers",
        "a message that all branches send begins when all offer it, with their header; where "
        "these differ, as one for all members",
        _claim_headers,
    ),
    _property(
        "passing",
        "a message of one sender, and each part of a gather, leaves whole and unchanged: no flit "
        "of another branch is among its flits",
        _claim_passing,
    ),
    _property(
        "turns",
        "the header of one sender's message waits for at most one message of each other branch",
        _claim_turns,
    ),
    _property(
        "reports",
        "messages that differ in collective, root or length are reported once and marked, and "
        "no others",
        _claim_reports,
    ),
    _property(
        "drains",
        "behind a message that ended with its shortest the rest of the longer ones is taken, "
        "nothing else is, and nothing leaves",
        _claim_drains,
    ),
    _property(
        "streams",
        "valid stays and the payload does not change before ready",
        _claim_streams,
    ),
    _property(
        "progress",
        "where every branch offers a flit and one can leave, flits move in the same cycle, or in "
        "the next if one sender's message has to be chosen",
        _claim_progress,
    ),
    _property(
        "waits",
        "a branch is waited for if it offers nothing while others do, or members elsewhere wait",
        _claim_waits,
    ),
)


def merge_proofs(form: MessageFormat) -> ComponentProofs:
    """Proofs of `CollectiveMerge`."""
    return ComponentProofs(
        partial(CollectiveMerge, form),
        partial(MergeHarness, form),
        MERGE_PROPERTIES,
    )
