"""Claims about queues and credits: no flit comes without a place, each that leaves is credited."""

from amaranth.hdl import Cat, Const

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...property import Property
from .copies import claim_copies
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.copy_channel import CopyChannel
from .observed.copy_front import CopyFront

COVERED_FLITS = 4
"""Flits up to which a queue is shown to fill: the trace that fills a deep one is long."""


def _queues(harness: CreditHarness) -> None:
    for channel in harness.queued.values():
        _levels(harness, channel)
        _turns(harness, channel)
        for fact in channel.keeps():
            harness.claim(fact)
        if isinstance(channel, CopyChannel):
            claim_copies(harness, channel)
        if not channel.is_local:
            _returns(harness, channel)
    for front in harness.fronts.values():
        filled = {vc: harness.queued[front.port, vc].readable != 0 for vc in front.vcs}
        harness.claim(front.occupied == Cat(filled.values()).any())
        shown = Cat(front.shown(vc) for vc in front.vcs)
        harness.claim((shown.any() | ~front.occupied) & is_one_hot_or_zero(shown))
        for vc, some in filled.items():
            harness.claim(~(front.occupied & front.shown(vc)) | some)
        harness.claim(front.is_legal)


def _levels(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that no flit comes without a place, and what the queue says of itself."""
    queue, level, depth = channel.queue, channel.level, channel.depth
    harness.claim(level <= depth)
    harness.claim(~channel.arrives | (level < depth))
    readable = channel.readable
    harness.claim(~channel.leaves | (readable != 0))
    harness.claim((queue.some == (readable != 0)) & (queue.more == (readable > 1)))
    harness.claim(queue.full == (level == depth))
    harness.claim(queue.in_range() & queue.is_at(queue.into, level))
    if any(harness.can_happen(turn) for turn in channel.turns):
        harness.cover(level == min(depth, COVERED_FLITS))
        harness.cover(channel.arrives & channel.leaves)


def _turns(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that each entry has turns of the channel, and the front shows the first."""
    queue = channel.queue
    for word, twin, ahead in zip(queue.words, queue.twins, queue.ahead, strict=True):
        harness.claim((ahead >= channel.level) | (word == twin))
        turn = channel.turn_of(queue.code(word))
        fits = channel.may_take(turn) & channel.front.fits(queue.code(word), channel.turns)
        harness.claim((ahead >= channel.level) | fits)
        is_shown = channel.valid & (ahead == channel.gone)
        if not isinstance(channel.front, CopyFront):  # `packets` claims it of the others
            harness.claim(~is_shown | (channel.shown_turn == channel.chosen(turn)))
        harness.claim(~is_shown | (channel.front.last == queue.last(word)))
    if isinstance(channel.front, CopyFront):
        alone = not isinstance(channel, CopyChannel)
        fits = channel.front.fits(channel.front.way, channel.turns)
        fits &= is_one_hot_or_zero(channel.front.way) if alone else Const(1)
        harness.claim(~channel.valid | fits)


def _returns(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that one credit returns for each flit that leaves, in the cycle after."""
    left = harness.register(1, f"left_{channel.name}")
    harness.m.d.sync += left.eq(channel.frees)
    harness.claim(channel.credit == left)
    harness.claim(channel.owed == channel.level + channel.credit)
    valid = harness.link(channel.port, "i_valid")
    harness.claim(channel.arrives == valid[channel.vc])
    harness.cover(channel.credit & channel.arrives)


def _credits(harness: CreditHarness) -> None:
    for (port, vc), receiver in harness.receivers.items():
        output = harness.outputs[port]
        granted = harness.register(1, f"granted_{receiver.name}")
        harness.m.d.sync += granted.eq(output.taken(vc))
        harness.claim(receiver.sent == granted)
        harness.claim(receiver.counts())
        harness.claim(receiver.owed + receiver.sent <= receiver.depth)
        harness.claim(receiver.room == (receiver.owed + receiver.sent < receiver.depth))
        if receiver.all_free is not None:
            harness.claim(receiver.all_free == receiver.is_empty)
        harness.claim(~output.taken(vc) | receiver.room)
        turns = [t for t in harness.kind.turns if (t.output_port, t.output_vc) == (port, vc)]
        if any(harness.can_happen(turn) for turn in turns):
            harness.cover(receiver.owed == min(receiver.depth, COVERED_FLITS))
            harness.cover(receiver.sent & receiver.credit)
    for port in harness.kind.sending:
        valid = harness.link(port, "o_valid")
        unused = set(harness.own_vcs).difference(harness.kind.output_vcs(port))
        harness.claim(~Cat(valid[vc] for vc in sorted(unused)).any())


QUEUES = Property(
    name="queues",
    text="no queue takes a flit without a place, or gives one that it does not have; one credit "
    "returns for each flit that leaves",
    claim=_queues,
)
CREDITS = Property(
    name="credits",
    text="no flit is sent without a credit: at most buffer_depth more than credits came back",
    claim=_credits,
    lemmas=(QUEUES,),
)
