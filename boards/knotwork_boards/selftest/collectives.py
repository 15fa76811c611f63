"""Collectives in the self-test: all members of a group start rounds of them, and check the answers.

A round is a barrier, an `all_reduce` with each operation, and a broadcast. An oracle computes what
its answers must be, a member's word per cycle, and compresses them to a signature; each member
compresses what it receives, and the two are compared when the round has ended. So no member stores
a result or computes one.
"""

from collections.abc import Sequence
from random import Random

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.collective_groups import NodeGroup
from knotwork.gateware.collectives.messages import (
    OPERATIONS,
    combine,
    received_layout,
    sent_layout,
)
from knotwork.gateware.collectives.tree import CollectiveGroup
from knotwork.routing.collectives import FAULTS, Collective, CollectiveTree, MessageFormat

from ..measuring import COLLECTIVE_COUNTERS
from .node_test import Lfsr, node_seed
from .packet_format import spread
from .tally import ones

BEAT_WIDTH = 2
"""Width of the number of a beat in its message: messages have 1..4 beats."""

RANDOM_WIDTH = 16
"""Bits that are drawn for a round."""

CHANGES_ALWAYS = ("sum", "xor")
"""Operations whose result differs wherever an operand does."""


class Round:
    """Messages of a round, by their number: a barrier, the reductions, and a broadcast.

    Parameters
    ----------
    form : MessageFormat
        Widths and operations.

    Members
    -------
    operations : tuple of int
        Places of the operations that are tested: not those of the user's own, whose gates the
        oracle lacks.
    broadcast : int
        Number of the broadcast, the last message.
    number_width : int
        Bits of a message's number, and of that behind the last.
    """

    def __init__(self, form: MessageFormat) -> None:
        self.form = form
        found = enumerate(form.operations)
        self.operations = tuple(place for place, one in found if one.name in OPERATIONS)
        self.broadcast: int = 1 + len(self.operations)
        self.number_width: int = (self.broadcast + 1).bit_length()

    @property
    def messages(self) -> int:
        """Messages that each member is answered."""
        return self.broadcast + 1

    @property
    def altered(self) -> int:
        """Number of a message whose answer differs if a word of one member does."""
        for number, place in enumerate(self.operations, start=1):
            if self.form.operations[place].name in CHANGES_ALWAYS:
                return number
        return self.broadcast

    def operation(self, number: Value) -> Value:
        """Place of a reduction's operation."""
        width = self.form.operation_bits
        place = Const(0, width)
        for other, found in enumerate(self.operations, start=1):
            place = Mux(number == other, Const(found, width), place)
        return place

    def kind(self, number: Value) -> Value:
        """What a message starts."""
        several = Mux(number == self.broadcast, Collective.BROADCAST, Collective.ALL_REDUCE)
        return Mux(number == 0, Collective.BARRIER, several)

    def common(self, drawn: Value, number: Value, beat: Value) -> Value:
        """Word of a beat before it is made a member's by its constant."""
        return spread(Cat(drawn, number, beat), self.form.width)

    def constant(self, node: int) -> int:
        """Bits that differ between a member's words and the common ones."""
        return Random(node).getrandbits(self.form.width)


def turned(signature: Value, word: Value) -> Value:
    """Signature after another word."""
    return signature.rotate_left(1) ^ word


class RoundSource(wiring.Component):
    """Source of a member's messages in a round, with random pauses.

    Parameters
    ----------
    round : Round
        Messages.
    node : int
        Member.
    faults : bool
        Whether `alters` is read.

    Members
    -------
    begin : In(1)
        Pulse that begins a round.
    clear : In(1)
        Ends it.
    drawn : In(RANDOM_WIDTH)
        What was drawn for the round; the lowest bits are the beats of a message less one.
    broadcasts : In(1)
        The member sends the broadcast.
    pauses : In(1)
        Random; no beat is offered anew in this cycle.
    alters : In(1)
        A word is wrong in this round.
    o : Out(stream of sent_layout(form))
        Messages.
    """

    begin: Signal
    clear: Signal
    drawn: Signal
    broadcasts: Signal
    pauses: Signal
    alters: Signal
    o: stream.Interface

    def __init__(self, *, round: Round, node: int, faults: bool) -> None:
        self._round = round
        self._node = node
        self._faults = faults
        super().__init__(
            {
                **dict.fromkeys(("begin", "clear", "broadcasts", "pauses", "alters"), In(1)),
                "drawn": In(RANDOM_WIDTH),
                "o": Out(stream.Signature(sent_layout(round.form))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Go from beat to beat; one that is offered stays until it is taken."""
        del platform
        m = Module()
        round, out = self._round, self.o
        number, beat = Signal(round.number_width), Signal(BEAT_WIDTH)
        sends, last = Signal(), Signal()
        word = round.common(self.drawn, number, beat) ^ round.constant(self._node)
        if self._faults:
            word ^= self.alters & (number == round.altered) & (beat == 0)
        final = Mux(self.broadcasts, round.broadcast, round.broadcast - 1)
        m.d.comb += [
            last.eq((number == 0) | (beat == self.drawn[:BEAT_WIDTH])),
            out.p.data.eq(word),
            out.p.last.eq(last),
            out.p.header.kind.eq(round.kind(number)),
            out.p.header.operation.eq(round.operation(number)),
        ]
        with m.If(self.clear):
            m.d.sync += [sends.eq(0), out.valid.eq(0)]
        with m.Elif(self.begin):
            m.d.sync += [sends.eq(1), number.eq(0), beat.eq(0)]
        with m.Elif(out.valid & out.ready):
            m.d.sync += [out.valid.eq(~self.pauses), beat.eq(Mux(last, 0, beat + 1))]
            with m.If(last):
                m.d.sync += number.eq(number + 1)
                with m.If(number == final):
                    m.d.sync += [sends.eq(0), out.valid.eq(0)]
        with m.Elif(sends & ~self.pauses):
            m.d.sync += out.valid.eq(1)
        return m


class RoundSink(wiring.Component):
    """Sink of a member's answers in a round: checks what they are, and compresses their words.

    Latency
    -------
    1 cycle from a beat to its check.

    Parameters
    ----------
    round : Round
        Messages.

    Members
    -------
    begin, drawn
        As of a `RoundSource`.
    judge : In(1)
        Pulse that ends the round.
    sender : In(root_bits)
        Member that sends the broadcast.
    expected : In(width)
        Signature of the right answers, before `judge`.
    pauses : In(1)
        Random; no beat is taken in the next cycle.
    i : In(stream of received_layout(form))
        Answers.
    answered : Out(1)
        High for a cycle for each answer.
    wrong : Out(1)
        High with `judge` if an answer was wrong, and for a beat that answers nothing.
    done : Out(1)
        All answers are here.
    """

    begin: Signal
    judge: Signal
    drawn: Signal
    sender: Signal
    expected: Signal
    pauses: Signal
    i: stream.Interface
    answered: Signal
    wrong: Signal
    done: Signal

    def __init__(self, *, round: Round) -> None:
        self._round = round
        form = round.form
        super().__init__(
            {
                **dict.fromkeys(("begin", "judge", "pauses"), In(1)),
                **dict.fromkeys(("answered", "wrong", "done"), Out(1)),
                "drawn": In(RANDOM_WIDTH),
                "sender": In(form.root_bits),
                "expected": In(form.width),
                "i": In(stream.Signature(received_layout(form))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Register each beat, and check it in the next cycle."""
        del platform
        m = Module()
        round, form = self._round, self._round.form
        taken, came = Signal(), Signal(received_layout(form))
        number, beat = Signal(round.number_width), Signal(BEAT_WIDTH)
        signature, bad, differs = Signal(form.width), Signal(), Signal()
        last, right = Signal(), Signal()
        is_broadcast = number == round.broadcast
        header = came.header
        m.d.sync += [
            self.i.ready.eq(~self.pauses),
            taken.eq(self.i.valid & self.i.ready),
            came.eq(self.i.p),
            differs.eq(signature != self.expected),
        ]
        m.d.comb += [
            last.eq((number == 0) | (beat == self.drawn[:BEAT_WIDTH])),
            right.eq(
                (header.kind == round.kind(number))
                & (header.operation == round.operation(number))
                & (header.root == Mux(is_broadcast, self.sender, 0))
                & (came.last == last)
                & ~came.fault
            ),
            self.answered.eq(taken & came.last),
            self.wrong.eq((self.judge & (bad | differs)) | (taken & self.done)),
        ]
        with m.If(self.begin):
            m.d.sync += [number.eq(0), beat.eq(0), signature.eq(0), bad.eq(0), self.done.eq(0)]
        with m.Elif(taken & ~self.done):
            m.d.sync += [
                bad.eq(bad | ~right),
                beat.eq(Mux(last, 0, beat + 1)),
                number.eq(number + last),
                self.done.eq(last & is_broadcast),
            ]
            with m.If(number != 0):  # of a barrier's answer the word says nothing
                m.d.sync += signature.eq(turned(signature, came.data))
        return m


class Oracle(wiring.Component):
    """Signature of the right answers of a round, computed a member's word per cycle.

    Latency
    -------
    For each beat of a reduction as many cycles as there are members, for each of the broadcast one,
    and 4 more.

    Parameters
    ----------
    round : Round
        Messages.
    members : sequence of int
        Nodes of the group.

    Members
    -------
    begin, drawn
        As of a `RoundSource`.
    sender : In
        Place of the member that sends the broadcast.
    expected : Out(width)
        Signature, once not `busy`.
    busy : Out(1)
        From the cycle after `begin`.
    """

    begin: Signal
    drawn: Signal
    sender: Signal
    expected: Signal
    busy: Signal

    def __init__(self, *, round: Round, members: Sequence[int]) -> None:
        self._round = round
        self._members = members
        super().__init__(
            {
                "begin": In(1),
                "drawn": In(RANDOM_WIDTH),
                "sender": In(range(len(members))),
                "expected": Out(round.form.width),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Visit message, beat and member; registers part memory, operation and signature."""
        del platform
        m = Module()
        round, form, count = self._round, self._round.form, len(self._members)
        m.submodules.constants = store = memory.Memory(
            shape=form.width, depth=count, init=[round.constant(node) for node in self._members]
        )
        constant = store.read_port()
        number, beat = Signal(round.number_width), Signal(BEAT_WIDTH)
        member, walks = Signal(range(count)), Signal()
        one, first, last = Signal(), Signal(), Signal()
        is_broadcast = number == round.broadcast
        m.d.comb += [
            one.eq(is_broadcast),
            first.eq(one | (member == 0)),
            last.eq(one | (member == count - 1)),
            constant.addr.eq(Mux(one, self.sender, member)),
        ]
        with m.If(self.begin):
            m.d.sync += [walks.eq(1), number.eq(1), beat.eq(0), member.eq(0)]
        with m.Elif(walks):
            m.d.sync += member.eq(Mux(last, 0, member + 1))
            with m.If(last):
                m.d.sync += beat.eq(beat + 1)
                with m.If(beat == self.drawn[:BEAT_WIDTH]):
                    m.d.sync += [beat.eq(0), number.eq(number + 1), walks.eq(~one)]
        # What the word is to its beat: read with the constant, then beside the word and the result.
        step = data.StructLayout(
            {"valid": 1, "first": 1, "last": 1, "operation": form.operation_bits}
        )
        read, comes, combined = Signal(step), Signal(step), Signal(step)
        common, word, result = (Signal(form.width) for _ in range(3))
        m.d.sync += [
            read.valid.eq(walks),
            read.first.eq(first),
            read.last.eq(last),
            read.operation.eq(round.operation(number)),
            common.eq(round.common(self.drawn, number, beat)),
            comes.eq(read),
            word.eq(common ^ constant.data),
            combined.eq(comes),
        ]
        with m.If(comes.valid):
            m.d.sync += result.eq(self._next(m, comes, result, word))
        with m.If(self.begin):
            m.d.sync += self.expected.eq(0)
        with m.Elif(combined.valid & combined.last):
            m.d.sync += self.expected.eq(turned(self.expected, result))
        m.d.comb += self.busy.eq(walks | read.valid | comes.valid | combined.valid)
        return m

    def _next(self, m: Module, step: data.View, result: Value, word: Value) -> Value:
        """Result with another word."""
        if not self._round.operations:
            return word
        both = combine(self._round.form, step.operation, result, word)
        return Mux(step.first, word, both)


class GroupTest(wiring.Component):
    """Source and sink of each member of a group, an oracle, and what leads from round to round.

    Parameters
    ----------
    tree, form
        Of the group.
    rounds_log2 : int
        Logarithm of the rounds in a window.
    faults : bool
        Whether `alters` is read.

    Members
    -------
    start : In(1)
        Pulse that begins a window.
    clear : In(1)
        Ends it.
    alters : In(1)
        The first member sends a wrong word, once in the window.
    send, receive, refused, fault
        Those of a `CollectiveGroup`, for its members.
    answered, wrong : Out(members)
        Events, see `RoundSink`; what the group refuses or reports is wrong too.
    active : Out(1)
        A beat was answered, or the oracle is busy.
    """

    start: Signal
    clear: Signal
    alters: Signal
    send: list[stream.Interface]
    receive: list[stream.Interface]
    refused: Signal
    fault: list[Signal]
    answered: Signal
    wrong: Signal
    active: Signal

    def __init__(
        self, tree: CollectiveTree, form: MessageFormat, *, rounds_log2: int, faults: bool = False
    ) -> None:
        self._members = tree.members
        self._round = Round(form)
        self._rounds_log2 = rounds_log2
        self._faults = faults
        count = len(tree.members)
        super().__init__(
            {
                **dict.fromkeys(("start", "clear", "alters"), In(1)),
                "send": Out(stream.Signature(sent_layout(form))).array(count),
                "receive": In(stream.Signature(received_layout(form))).array(count),
                "refused": In(count),
                "fault": In(len(FAULTS)).array(count),
                "answered": Out(count),
                "wrong": Out(count),
                "active": Out(1),
            }
        )

    @property
    def answers(self) -> int:
        """Answers that all members get in a window."""
        return len(self._members) * self._round.messages << self._rounds_log2

    def elaborate(self, platform: object) -> Module:
        """Begin a round when the one before is judged."""
        del platform
        m = Module()
        form = self._round.form
        begin, judge = Signal(), Signal()
        drawn, done = Signal(RANDOM_WIDTH), Signal(len(self._members))
        left = Signal(range((1 << self._rounds_log2) + 1))
        place, sender = Signal(range(len(self._members))), Signal(form.root_bits)
        m.submodules.lfsr = lfsr = Lfsr(seed=node_seed(self._members[0]))
        m.submodules.oracle = oracle = Oracle(round=self._round, members=self._members)
        m.submodules.nodes = nodes = memory.Memory(
            shape=form.root_bits, depth=len(self._members), init=list(self._members)
        )
        named = nodes.read_port()
        m.d.comb += [
            named.addr.eq(place),
            sender.eq(named.data),
            oracle.begin.eq(begin),
            oracle.drawn.eq(drawn),
            oracle.sender.eq(place),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [left.eq(1 << self._rounds_log2), place.eq(0)]
                with m.If(self.start):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.comb += begin.eq(1)
                m.d.sync += [left.eq(left - 1), drawn.eq(lfsr.o)]
                m.next = "RUN"
            with m.State("RUN"):
                with m.If(done.all() & ~oracle.busy):
                    m.next = "SETTLE"
                with m.If(self.clear):
                    m.next = "IDLE"
            with m.State("SETTLE"):
                m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.comb += judge.eq(1)
                m.d.sync += place.eq(Mux(place == len(self._members) - 1, 0, place + 1))
                m.next = "BEGIN"
                with m.If(left == 0):
                    m.next = "IDLE"
        for member, node in enumerate(self._members):
            source = RoundSource(round=self._round, node=node, faults=self._faults and member == 0)
            sink = RoundSink(round=self._round)
            m.submodules[f"source_{node}"], m.submodules[f"sink_{node}"] = source, sink
            wiring.connect(m, source.o, wiring.flipped(self.send[member]))
            wiring.connect(m, wiring.flipped(self.receive[member]), sink.i)
            bits = lfsr.o.rotate_left(5 * member)
            m.d.comb += [
                *(end.begin.eq(begin) for end in (source, sink)),
                *(end.drawn.eq(drawn) for end in (source, sink)),
                source.clear.eq(self.clear),
                source.broadcasts.eq(place == member),
                source.pauses.eq(bits[:2].all()),
                source.alters.eq(self.alters & (left == (1 << self._rounds_log2) - 1)),
                sink.judge.eq(judge),
                sink.sender.eq(sender),
                sink.expected.eq(oracle.expected),
                sink.pauses.eq(bits[8:10].all()),
                done[member].eq(sink.done),
            ]
            # What a group reports stands beside what the sinks found.
            reported = self.refused[member] | self.fault[member].any()
            m.d.sync += [
                self.answered[member].eq(sink.answered),
                self.wrong[member].eq(sink.wrong | reported),
            ]
        answers = Cat(one.valid & one.ready for one in self.receive)
        m.d.sync += self.active.eq(answers.any() | oracle.busy)
        return m


class CollectiveTest(wiring.Component):
    """Tests of all groups of a network, and the counters of what they found.

    Latency
    -------
    2 cycles from an event to its count, 3 to `passed`.

    Parameters
    ----------
    groups : sequence of NodeGroup
        Groups.
    rounds_log2, faults
        As of a `GroupTest`.

    Members
    -------
    start, clear : In(1)
        See `GroupTest`; `clear` also sets the counters to 0.
    alters : In(1)
        In each group one word is wrong.
    active : Out(1)
        A round is under way, and moves.
    counts : Out(StructLayout)
        One number per name in `COLLECTIVE_COUNTERS`, of all members of all groups.
    passed : Out(1)
        All answers came, and none was wrong.
    """

    start: Signal
    clear: Signal
    alters: Signal
    active: Signal
    counts: data.View
    passed: Signal

    def __init__(
        self, groups: Sequence[NodeGroup], *, rounds_log2: int, faults: bool = False
    ) -> None:
        self._tests = {
            group.name: GroupTest(group.tree, group.form, rounds_log2=rounds_log2, faults=faults)
            for group in groups
        }
        self.answers: int = sum(test.answers for test in self._tests.values())
        width = self.answers.bit_length() + 1
        super().__init__(
            {
                **dict.fromkeys(("start", "clear", "alters"), In(1)),
                **dict.fromkeys(("active", "passed"), Out(1)),
                "counts": Out(data.StructLayout(dict.fromkeys(COLLECTIVE_COUNTERS, width))),
            }
        )

    def connect(self, m: Module, fabric: object) -> None:
        """Connect the groups of a network, its members by their names, in the module around."""
        for name, test in self._tests.items():
            group: CollectiveGroup = getattr(fabric, name)
            for member, (send, receive) in enumerate(zip(group.send, group.receive, strict=True)):
                wiring.connect(m, test.send[member], send)
                wiring.connect(m, receive, test.receive[member])
                m.d.comb += test.fault[member].eq(group.fault[member])
            m.d.comb += test.refused.eq(group.refused)

    def elaborate(self, platform: object) -> Module:
        """Count the members of each event, then add."""
        del platform
        m = Module()
        tests = [*self._tests.values()]
        for name, test in self._tests.items():
            m.submodules[name] = test
            m.d.comb += [
                test.start.eq(self.start),
                test.clear.eq(self.clear),
                test.alters.eq(self.alters),
            ]
        events = [Cat(getattr(test, event) for test in tests) for event in ("answered", "wrong")]
        for name, bits in zip(COLLECTIVE_COUNTERS, events, strict=True):
            now = Signal(range(len(bits) + 1), name=f"{name}_now")
            m.d.sync += [now.eq(ones(bits)), self.counts[name].eq(self.counts[name] + now)]
            with m.If(self.clear):
                m.d.sync += self.counts[name].eq(0)
        m.d.comb += self.active.eq(Cat(test.active for test in tests).any())
        m.d.sync += self.passed.eq(
            (self.counts.answers == self.answers) & (self.counts.wrong_answers == 0)
        )
        return m
