"""Proofs of a member's ports: what it starts becomes messages, and what is for it its answers."""

from functools import partial

from amaranth.hdl import Array, Cat, Mux, Value
from amaranth.lib import data

from ...gateware.collectives.messages import (
    flit_layout,
    header_layout,
    received_layout,
    view_header,
)
from ...gateware.collectives.port import CollectiveReceiver, CollectiveSender, Shows, place_codes
from ...routing.collectives import Collective, MessageFormat
from ..component import ComponentHarness, ComponentProofs
from ..property import Property

COVER = 16
"""Cycles within which all is reached that claims are about, and those of a mask."""


def is_one_of(kind: Value, *kinds: Collective) -> Value:
    """Whether a header's kind is one of these."""
    return Cat(kind == one for one in kinds).any()


class SenderHarness(ComponentHarness):
    """Harness of a sender, whose node keeps what it offers until it is taken.

    Members
    -------
    checked : Value
        The message is one that the group can begin; its header has not left.
    headed : Value
        The header has left, the message's last beat has not.
    dropped : Value
        The rest of a message is dropped.
    """

    def __init__(self, form: MessageFormat) -> None:
        sender = CollectiveSender(form)
        super().__init__(sender)
        self.form, self.sender = form, sender
        self.node, self.members = self.constant("node"), self.constant("members")
        self.i, self.o = self.stream("i"), self.stream("o")
        self.assume_stream("i")
        self.checked, self.headed, self.dropped = (
            self.register(1, name) for name in ("checked", "headed", "dropped")
        )
        m = self.m
        with m.If(self.begins):
            m.d.sync += [self.checked.eq(self.is_known), self.dropped.eq(~self.is_known)]
        with m.If(self.checked & self.o.moves):
            m.d.sync += [
                self.checked.eq(0),
                self.headed.eq(~self.is_barrier),
                self.dropped.eq(self.is_barrier),
            ]
        with m.If(self.i.moves & self.i.payload.last):
            m.d.sync += [self.headed.eq(0), self.dropped.eq(0)]

    @property
    def begins(self) -> Value:
        """Whether a message begins: its first beat is offered, and was not checked before."""
        return self.i.valid & ~self.checked & ~self.headed & ~self.dropped

    @property
    def is_barrier(self) -> Value:
        """Whether the message is one."""
        return self.i.payload.header.kind == Collective.BARRIER

    @property
    def is_known(self) -> Value:
        """Whether the message is one that the group can begin."""
        header = self.i.payload.header
        reduces = is_one_of(header.kind, Collective.ALL_REDUCE, Collective.REDUCE)
        is_rooted = is_one_of(header.kind, Collective.REDUCE, Collective.GATHER)
        is_member = Cat(
            self.members[node] & (header.root == node) for node in range(self.form.nodes)
        ).any()
        has_operation = header.operation < len(self.form.operations)
        return (
            is_one_of(header.kind, *Collective)
            & (~reduces | has_operation)
            & (~is_rooted | is_member)
        )

    def claim_state(self) -> None:
        """Claim that the sender knows where in a message it is."""
        sender, kind = self.sender, self.i.payload.header.kind
        self.claim(self.probe(sender.offers) == (self.checked | self.headed))
        self.claim(self.probe(sender.drops) == self.dropped)
        self.claim(~self.checked | ~self.headed)
        self.claim(~self.dropped | ~(self.checked | self.headed))
        shows = self.probe(Value.cast(sender.shows))
        self.claim((shows == Shows.BEAT.value) == self.headed)
        is_rooted = is_one_of(kind, Collective.REDUCE, Collective.GATHER)
        is_single = kind >= Collective.BROADCAST
        expected = Mux(
            is_single, Shows.SENDER.value, Mux(is_rooted, Shows.ROOT.value, Shows.NONE.value)
        )
        self.claim(~self.checked | (shows == expected))
        # What was checked waits until its header has left.
        self.claim(~self.checked | (self.i.valid & self.is_known))


def _claim_headers(harness: SenderHarness) -> None:
    harness.claim_state()
    sent, came = view_header(harness.form, harness.o.payload), harness.i.payload.header
    flit = harness.o.payload
    leaves = harness.named(harness.o.valid & ~harness.headed, "leaves")
    harness.claim(leaves == harness.checked)
    harness.claim(~leaves | (harness.is_known & (sent.kind == came.kind)))
    reduces = is_one_of(sent.kind, Collective.ALL_REDUCE, Collective.REDUCE)
    is_rooted = is_one_of(sent.kind, Collective.REDUCE, Collective.GATHER)
    all_send = is_one_of(sent.kind, Collective.BARRIER, Collective.ALL_REDUCE)
    harness.claim(~leaves | (sent.operation == Mux(reduces, came.operation, 0)))
    root = Mux(is_rooted, came.root, Mux(all_send, 0, harness.node))
    harness.claim(~leaves | (sent.root == root))
    harness.claim(~leaves | (flit.last == (sent.kind == Collective.BARRIER)))
    is_single = sent.kind >= Collective.BROADCAST
    harness.claim(~leaves | (~flit.fault & (flit.part == is_single)))
    for kind in Collective:
        harness.cover(leaves & (sent.kind == kind) & harness.o.ready)


def _claim_beats(harness: SenderHarness) -> None:
    harness.claim_state()
    beat, flit, headed = harness.i.payload, harness.o.payload, harness.headed
    harness.claim(~headed | (harness.o.moves == harness.i.moves))
    harness.claim(~harness.i.moves | headed | harness.dropped)
    leaves = harness.named(harness.o.valid & headed, "leaves")
    same = (flit.data == beat.data) & (flit.last == beat.last)
    harness.claim(~leaves | (same & (flit.part == (beat.part | beat.last)) & ~flit.fault))
    harness.claim(~harness.dropped | ~harness.o.valid)
    harness.cover(leaves & harness.o.moves & ~beat.last)
    harness.cover(leaves & harness.o.moves & beat.last)
    harness.cover(harness.dropped & harness.i.moves & beat.last)


def _claim_refusals(harness: SenderHarness) -> None:
    harness.claim_state()
    refused = harness.begins & ~harness.is_known
    harness.claim(harness.port("refused") == refused)
    harness.claim(~harness.dropped | ~harness.i.valid | harness.i.moves)
    harness.cover(refused & ~harness.i.payload.last)
    harness.cover(refused & harness.i.payload.last)


def _claim_sender_streams(harness: SenderHarness) -> None:
    harness.claim_state()
    harness.claim_stream("o")
    # A beat waits for its message's check and header alone, if the tree takes what is offered.
    i, o = harness.i, harness.o
    stays = i.valid & ~i.ready & o.ready
    twice = harness.before(harness.before(stays, "stays") & stays, "twice")
    harness.claim(~twice | ~o.ready | i.moves)
    harness.cover(twice & i.moves)


def sender_proofs(form: MessageFormat) -> ComponentProofs:
    """Proofs of `CollectiveSender`."""
    headers = Property(
        name="headers",
        text="of each message that the group can begin, the header leaves once, before its beats, "
        "with the node that it names; `part` says that no other node sends the like",
        claim=_claim_headers,
    )
    beats = Property(
        name="beats",
        text="behind a header each beat of its message leaves once, unchanged, in the cycle in "
        "which it is taken; of barriers and of refused messages no beat does",
        claim=_claim_beats,
    )
    refusals = Property(
        name="refusals",
        text="a message of an unknown kind or operation, or with a root that is no member, is "
        "refused once, and others are not",
        claim=_claim_refusals,
    )
    streams = Property(
        name="streams",
        text="valid stays and the payload does not change before ready; with ready a beat waits "
        "for two cycles at most",
        claim=_claim_sender_streams,
    )
    return ComponentProofs(
        partial(CollectiveSender, form),
        partial(SenderHarness, form),
        [headers, beats, refusals, streams],
    )


class ReceiverHarness(ComponentHarness):
    """Harness of a receiver beside a spread, and what it must know of the message that comes.

    As `spread_proofs` shows, the spread says of each flit that it takes whether it is of a mask,
    and offers it if it is for this branch and for the node. As `sender_proofs` and `merge_proofs`
    show, no header of one sender's message is alone, and what is marked is a header or a message's
    last flit.

    Members
    -------
    takes : Value
        The spread takes the flit that comes.
    headed : Value
        The message's header was taken, its last flit was not.
    aimed : Value
        The message is for this branch.
    kept : View
        Its header.
    marked : Value
        That was marked.
    masks, parts : Value
        Beats of a multicast's mask that were taken; parts of a scatter that have ended.
    answered : Value
        The last beat of the answer was taken by the spread.
    owed : Value
        The node has not taken the beat yet.
    beat : View
        That beat.
    """

    def __init__(self, form: MessageFormat) -> None:
        receiver = CollectiveReceiver(form)
        super().__init__(receiver)
        self.form, self.receiver = form, receiver
        self.i, self.o, self.takes = self.stream("i"), self.stream("o"), self.port("takes")
        self.came = data.View(flit_layout(form), self.port("came"))
        self.headed, self.aimed, self.marked, self.answered, self.owed = (
            self.register(1, name) for name in ("headed", "aimed", "marked", "answered", "owed")
        )
        self.kept = self.record(header_layout(form), "kept")
        self.beat = self.record(received_layout(form), "beat")
        self.masks = self.register(range(form.mask_beats + 1), "masks")
        self.parts = self.register(form.root_bits, "parts")
        self.place = self.any_constant(form.root_bits)
        previous = (self.place - 1)[: form.root_bits]
        self.environment(self.constant("previous") == self._code(previous))
        self.environment(self.constant("is_first") == (self.place == 0))
        self.is_final = self.constant("is_final")
        self._assume_spread()
        self._watch()

    def _code(self, number: Value) -> Value:
        return Array(place_codes(self.form))[number]

    def _assume_spread(self) -> None:
        """Consider only what a spread says of flits, and offers of them."""
        flit, takes = self.came, self.takes
        is_single = self.header.kind >= Collective.BROADCAST
        self.assume(~(takes & ~self.headed & flit.last) | ~is_single)
        self.assume(~(takes & self.headed & flit.fault) | flit.last)
        self.assume(self.port("headed") == self.headed)
        self.assume(self.port("is_mask") == self.in_mask)
        self.assume(~self.in_mask | (self.port("ends_mask") == self.ends_mask))
        # A message that is for no branch comes to the centre alone, and may be for another one.
        may_be = self.any_value() | (self.header.kind == Collective.MULTICAST)
        self.target = self.named(Mux(self.headed, self.aimed | self.in_mask, may_be), "target")
        self.assume(~takes | ~self.owed | self.o.ready)
        self.assume(self.i.valid == self.owed)
        shown = self.i.payload
        same = (shown.data == self.beat.data) & (shown.part == self.beat.part)
        self.assume(~self.owed | same)

    def _watch(self) -> None:
        m, flit, takes = self.m, self.came, self.takes
        gets = self.named(takes & self.target & self.port("delivers"), "gets")
        m.d.sync += self.owed.eq((self.owed & ~self.o.ready) | gets)
        is_last = flit.last | (self.is_scattered & flit.part)
        with m.If(takes & ~self.headed):
            m.d.sync += [
                self.headed.eq(~flit.last),
                self.aimed.eq(self.target),
                self.kept.eq(self.header),
                self.marked.eq(flit.fault),
                self.masks.eq(0),
                self.parts.eq(0),
                self.answered.eq(gets),
            ]
        with m.Elif(takes):
            goes_on = ~self.ends_mask | self.port("named") | self.any_value()
            m.d.sync += self.headed.eq(~flit.last & goes_on)
            with m.If(self.in_mask):
                m.d.sync += self.masks.eq(self.masks + 1)
            with m.If(self.ends_mask):
                m.d.sync += self.aimed.eq(self.port("named"))
            with m.If(flit.part & ~self.answered):
                m.d.sync += self.parts.eq(self.parts + 1)
            with m.If(gets & is_last):
                m.d.sync += self.answered.eq(1)
        with m.If(takes):
            is_short = self.is_before | (self.in_mask & ~self.ends_mask)
            exceeds = self.is_scattered & self.is_final & flit.part & ~flit.last
            is_marked = flit.fault | (self.headed & (self.marked | is_short | exceeds))
            m.d.sync += [
                self.beat.data.eq(flit.data),
                self.beat.last.eq(is_last),
                self.beat.part.eq(flit.part),
                self.beat.fault.eq(is_marked),
                self.beat.header.eq(Mux(self.headed, self.kept, self.header)),
            ]

    @property
    def header(self) -> data.View:
        """What comes, as a header."""
        return view_header(self.form, self.came)

    @property
    def is_scattered(self) -> Value:
        """Whether the flit is a beat of a scatter."""
        return self.headed & (self.kept.kind == Collective.SCATTER)

    @property
    def in_mask(self) -> Value:
        """Whether the flit is a beat of a multicast's mask."""
        is_multicast = self.headed & (self.kept.kind == Collective.MULTICAST)
        return is_multicast & (self.masks != self.form.mask_beats)

    @property
    def ends_mask(self) -> Value:
        """Whether the flit is the last beat of a multicast's mask."""
        return self.in_mask & (self.masks == self.form.mask_beats - 1)

    @property
    def is_before(self) -> Value:
        """Whether the flit is of a part for another node, before this node's."""
        return self.is_scattered & (self.parts != self.place)

    @property
    def is_for_node(self) -> Value:
        """Whether the flit is a beat of the answer, were the message longer too."""
        return self.headed & ~self.answered & ~self.in_mask & ~self.is_before

    @property
    def is_answered(self) -> Value:
        """Whether a message that ends here has an answer: a mask may not name the node."""
        return ~self.in_mask | self.port("named")

    def claim_state(self) -> None:
        """Claim that the receiver knows where in a message it is."""
        receiver = self.receiver
        kept = self.probe_view(receiver.kept)
        same = kept.as_value() == Value.cast(self.kept)
        self.claim(~(self.headed | self.owed) | same)
        self.claim(~self.owed | (Value.cast(self.beat.header) == Value.cast(self.kept)))
        self.claim(~self.headed | (self.probe(receiver.marked) == self.marked))
        is_scatter = self.kept.kind == Collective.SCATTER
        self.claim(~self.headed | (self.probe(receiver.scatters) == is_scatter))
        parts = self.probe(receiver.part)
        counts = self.is_scattered & self.aimed
        is_mine = ~self.answered & (self.parts == self.place)
        self.claim(~counts | self.answered | (parts == self._code(self.parts)))
        self.claim(~counts | (self.probe(receiver.is_mine) == is_mine))
        self.claim(~counts | (self.probe(receiver.served) == self.answered))
        self.claim(~self.headed | (self.masks <= self.form.mask_beats))
        self.claim(~self.in_mask | (self.aimed & ~self.answered))
        # An answer that has ended before its message is one of a scatter.
        self.claim(~(self.headed & self.aimed & self.answered) | self.is_scattered)


def _claim_answers(harness: ReceiverHarness) -> None:
    harness.claim_state()
    flit, shown, beat = harness.came, harness.o.payload, harness.beat
    takes = harness.named(harness.takes & harness.target, "takes_it")
    behind = harness.is_for_node | (harness.headed & flit.last & ~harness.answered)
    due = Mux(harness.headed, behind & harness.is_answered, flit.last)
    harness.claim(~takes | (harness.port("delivers") == due))
    harness.claim(harness.o.valid == harness.owed)
    same = (shown.data == beat.data) & (shown.part == beat.part) & (shown.last == beat.last)
    same &= shown.header.as_value() == Value.cast(beat.header)
    harness.claim(~harness.owed | same)
    # Each message has one answer: with its last flit this has ended.
    ends = flit.last | (harness.ends_mask & ~harness.port("named"))
    ends = harness.named(takes & harness.headed & ends, "ends")
    gets = takes & harness.port("delivers")
    is_last = flit.last | (harness.is_scattered & flit.part)
    answered = harness.answered | (gets & is_last)
    harness.claim(~ends | (answered == harness.is_answered))
    for kind in Collective:
        harness.cover(harness.o.moves & shown.last & (shown.header.kind == kind))
    harness.cover(harness.is_scattered & harness.answered & ends)
    harness.cover(ends & ~harness.is_answered)


def _claim_marks(harness: ReceiverHarness) -> None:
    harness.claim_state()
    shown, beat = harness.o.payload, harness.beat
    ends = harness.named(harness.owed & beat.last, "ends")
    harness.claim(~harness.owed | (shown.last == beat.last))
    harness.claim(~ends | (shown.fault == beat.fault))
    for kind in (Collective.ALL_REDUCE, Collective.MULTICAST, Collective.SCATTER):
        is_kind = harness.kept.kind == kind
        harness.cover(ends & is_kind & beat.fault)
        harness.cover(ends & is_kind & ~beat.fault)


def _claim_receiver_streams(harness: ReceiverHarness) -> None:
    harness.claim_state()
    harness.claim_stream("o")
    harness.claim(harness.i.ready == harness.o.ready)
    harness.cover(harness.o.valid & ~harness.o.ready)


def receiver_proofs(form: MessageFormat) -> ComponentProofs:
    """Proofs of `CollectiveReceiver`."""
    answers = Property(
        name="answers",
        text="of each message the flits for the node leave once, unchanged and in order, with its "
        "header; a message without any is one beat; each answer ends once; a multicast whose mask "
        "does not name the node has none",
        claim=_claim_answers,
        cover=COVER + form.mask_beats,
    )
    marks = Property(
        name="marks",
        text="the last beat of an answer is marked if a flit of its message was by then, if the "
        "message ended before what is for the node, or a scatter has more parts than members",
        claim=_claim_marks,
        cover=COVER + form.mask_beats,
    )
    streams = Property(
        name="streams",
        text="valid stays and the payload does not change before ready; a flit waits for the node "
        "alone",
        claim=_claim_receiver_streams,
        cover=COVER + form.mask_beats,
    )
    return ComponentProofs(
        partial(CollectiveReceiver, form), partial(ReceiverHarness, form), [answers, marks, streams]
    )
