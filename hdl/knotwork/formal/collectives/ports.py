"""Proofs of a member's ports: what it starts becomes messages, and what is for it its answers."""

from functools import partial

from amaranth.hdl import Array, Cat, Mux, Value

from ...gateware.collectives.messages import header_layout, view_header
from ...gateware.collectives.port import CollectiveReceiver, CollectiveSender, Phase, place_codes
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
        phase = self.probe(Value.cast(self.sender.phase))
        expected = {
            Phase.HEADER: self.checked,
            Phase.DROPS: self.dropped,
            Phase.WITHIN: self.headed,
            Phase.CHECKS: ~(self.checked | self.dropped | self.headed),
        }
        for one, holds in expected.items():
            self.claim((phase == one.value) == holds)
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
    """Harness of a receiver behind a spread, and what it must know of the message that comes.

    As `spread_proofs` shows, the spread says of each flit whether it is of a mask. A mask that does
    not name the node ends the message. As `sender_proofs` and `merge_proofs` show, no header of one
    sender's message is alone, and what is marked is a header or a message's last flit.

    Members
    -------
    headed : Value
        The message's header was seen, its last flit has not been taken.
    kept : View
        That header.
    is_alone : Value
        The message is a header alone.
    marked : Value
        A flit of the message was marked.
    masks, parts : Value
        Beats of a multicast's mask that were taken; parts of a scatter that have ended.
    answered : Value
        The last beat of the answer has been taken.
    """

    def __init__(self, form: MessageFormat) -> None:
        receiver = CollectiveReceiver(form)
        super().__init__(receiver)
        self.form, self.receiver = form, receiver
        place, self.is_final = self.constant("place"), self.constant("is_final")
        self.i, self.o = self.stream("i"), self.stream("o")
        self.assume_stream("i")
        self.headed, self.is_alone, self.marked, self.answered = (
            self.register(1, name) for name in ("headed", "is_alone", "marked", "answered")
        )
        self.kept = self.record(header_layout(form), "kept")
        self.masks = self.register(range(form.mask_beats + 1), "masks")
        self.parts = self.register(form.root_bits, "parts")
        self.place = self.any_constant(form.root_bits)
        self.environment(place == self._code(self.place))
        self._watch()
        self._assume_marks()

    def _code(self, number: Value) -> Value:
        return Array(place_codes(self.form))[number]

    def _watch(self) -> None:
        m, i, o = self.m, self.i, self.o
        flit = i.payload
        with m.If(~self.headed & i.valid):
            m.d.sync += [
                self.headed.eq(1),
                self.kept.eq(view_header(self.form, flit)),
                self.is_alone.eq(flit.last),
                self.marked.eq(flit.fault),
                self.masks.eq(0),
                self.parts.eq(0),
                self.answered.eq(0),
            ]
        with m.Elif(i.moves):
            m.d.sync += self.marked.eq(self.marked | flit.fault)
            with m.If(self.in_mask):
                m.d.sync += self.masks.eq(self.masks + 1)
            with m.If(flit.part & ~self.answered):
                m.d.sync += self.parts.eq(self.parts + 1)
            with m.If(o.moves & o.payload.last):
                m.d.sync += self.answered.eq(1)
            with m.If(self.ends):
                m.d.sync += self.headed.eq(0)

    def _assume_marks(self) -> None:
        """Consider only what a spread says of the flits that it offers."""
        flit, valid = self.i.payload, self.i.valid
        named, is_masked = self.port("named"), self.port("is_masked")
        came = view_header(self.form, flit)
        is_single = came.kind >= Collective.BROADCAST
        self.assume(~(valid & ~self.headed & flit.last) | ~is_single)
        self.assume(~(valid & self.headed & flit.fault) | flit.last)
        self.assume(~valid | (self.port("is_mask") == self.in_mask))
        self.assume(~(valid & self.in_mask) | (is_masked == ~self.ends_mask))
        waited = self.before(valid & ~self.i.ready, "waited_named")
        self.assume(~waited | (named == self.before(named, "named")))

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
    def ends(self) -> Value:
        """Whether the flit is the message's last for this node."""
        return self.headed & (self.i.payload.last | (self.ends_mask & ~self.port("named")))

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
        self.claim(self.probe(receiver.within) == self.headed)
        kept = self.probe_view(receiver.kept)
        self.claim(~self.headed | (kept.as_value() == Value.cast(self.kept)))
        self.claim(~self.headed | (self.probe(receiver.marked) == self.marked))
        parts = self.probe(receiver.part)
        self.claim(~self.is_scattered | self.answered | (parts == self._code(self.parts)))
        self.claim(~self.is_scattered | (self.probe(receiver.served) == self.answered))
        self.claim(~self.headed | (self.masks <= self.form.mask_beats))
        # An answer that has ended before its message is one of a scatter.
        self.claim(~(self.headed & self.answered) | self.is_scattered)
        # A header that is alone waits until the answer that it is has been taken.
        is_alone = self.headed & self.is_alone
        self.claim(~is_alone | (self.i.valid & self.i.payload.last & ~self.answered))
        self.claim(~is_alone | (self.kept.kind < Collective.BROADCAST))


def _claim_answers(harness: ReceiverHarness) -> None:
    harness.claim_state()
    flit, beat = harness.i.payload, harness.o.payload
    gives = harness.i.valid & harness.headed & ~harness.answered & harness.is_answered
    shows = harness.named(gives & (harness.is_for_node | flit.last), "shows")
    harness.claim(harness.o.valid == shows)
    same = (beat.data == flit.data) & (beat.part == flit.part)
    harness.claim(~shows | (same & (beat.header.as_value() == Value.cast(harness.kept))))
    harness.claim(~shows | (beat.last == (flit.last | (harness.is_scattered & flit.part))))
    harness.claim(~harness.o.moves | harness.i.moves)
    harness.claim(~(shows & harness.i.moves) | harness.o.moves)
    # Each message has one answer: with its last flit this has ended.
    ends = harness.i.moves & harness.ends
    answered = harness.answered | (harness.o.moves & beat.last)
    harness.claim(~ends | (answered == harness.is_answered))
    harness.claim(harness.headed | ~harness.i.moves | ~flit.last)
    for kind in Collective:
        harness.cover(shows & beat.last & harness.o.ready & (beat.header.kind == kind))
    harness.cover(harness.is_scattered & harness.answered & ends)
    harness.cover(ends & ~harness.is_answered)


def _claim_marks(harness: ReceiverHarness) -> None:
    harness.claim_state()
    flit, beat = harness.i.payload, harness.o.payload
    ends = harness.named(harness.o.valid & beat.last, "ends")
    is_short = harness.is_before | (harness.in_mask & ~harness.ends_mask)
    exceeds = harness.is_scattered & harness.is_final & flit.part & ~flit.last
    harness.claim(~ends | (beat.fault == (harness.marked | flit.fault | is_short | exceeds)))
    harness.cover(ends & harness.is_before & ~harness.marked & ~flit.fault)
    harness.cover(ends & exceeds & ~harness.marked & ~flit.fault)
    harness.cover(ends & harness.is_scattered & ~beat.fault)
    harness.cover(ends & (harness.kept.kind == Collective.MULTICAST) & ~beat.fault)
    if harness.form.mask_beats > 1:
        harness.cover(ends & harness.in_mask & ~harness.ends_mask)


def _claim_receiver_streams(harness: ReceiverHarness) -> None:
    harness.claim_state()
    harness.claim_stream("o")
    # A flit waits for the cycle of its header alone, if the node takes beats.
    i, o = harness.i, harness.o
    waits = harness.before(i.valid & ~i.ready & o.ready, "waits")
    harness.claim(~waits | ~o.ready | i.moves)
    harness.claim(~(i.valid & ~i.ready & harness.headed) | o.valid)
    harness.cover(waits & i.moves)


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
        text="valid stays and the payload does not change before ready; with ready a flit waits "
        "for a cycle at most",
        claim=_claim_receiver_streams,
        cover=COVER + form.mask_beats,
    )
    return ComponentProofs(
        partial(CollectiveReceiver, form), partial(ReceiverHarness, form), [answers, marks, streams]
    )
