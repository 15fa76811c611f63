"""Claims about queues: levels and credits, packets, and the order of flits."""

from dataclasses import replace
from functools import partial

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data

from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ..property import Property
from .channels import PassingPacket, Token, channel_name, header_of
from .copies import claim_copied_packets, claim_copies, claim_copy_order, claim_shown_copy
from .copy_channel import CopyChannel, CopyFront
from .credit_channel import CreditChannel
from .credit_harness import CreditHarness
from .node_claims import from_nodes
from .router_harness import Place

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


def _packets(harness: CreditHarness, port: int) -> None:
    front = harness.fronts[port]
    holds = harness.inside(f"input_{front.name}.holds", len(front.vcs))
    for place, vc in enumerate(front.vcs):
        channel = harness.queued[port, vc]
        _chain(harness, channel)
        if isinstance(channel, CopyChannel):
            claim_copied_packets(harness, channel)
            continue
        harness.claim(holds[place] == channel.outgoing.open)
        if not isinstance(front, CopyFront) and len(front.vcs) > 1:
            under_way = harness.inside(f"input_{front.name}.under_way", len(front.vcs))
            harness.claim(under_way[place] == channel.incoming.open)
        chosen = channel.outgoing._replace(turn=channel.chosen(channel.outgoing.turn))
        harness.claim(_same(channel.taken, chosen))
        if isinstance(front, CopyFront):
            for word, ahead in zip(channel.queue.words, channel.queue.ahead, strict=True):
                is_shown = channel.valid & (ahead == 0)
                turn = channel.turn_of(channel.queue.code(word))
                harness.claim(~is_shown | (channel.shown_turn == turn))
        _shown(harness, channel)


def _chain(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that each flit continues the packet of the one before it, or begins one."""
    queue, level = channel.queue, channel.level
    came, went = channel.incoming, channel.outgoing
    flits = [channel.whole(word, f"flit{n}") for n, word in enumerate(queue.flits)]
    turns = [
        harness.named(channel.turn_of(queue.code(word)), f"turn{n}_{channel.name}")
        for n, word in enumerate(queue.words)
    ]
    packets = [
        PassingPacket(~queue.last(word), turn, header_of(flit))
        for word, turn, flit in zip(queue.words, turns, flits, strict=True)
    ]
    for slot, packet in enumerate(packets):
        ahead, after = queue.ahead[slot], packets[queue.next(slot)]
        harness.claim((ahead + 1 >= level) | _continues(packet, after))
        harness.claim((ahead != 0) | (level == 0) | _continues(went, packet))
        harness.claim((ahead + 1 != level) | _same(came, packet))
        kept = channel.is_as_known(flits[slot], turns[slot])
        kept &= flits[slot].last == queue.last(queue.words[slot])
        harness.claim((ahead >= level) | kept)
    harness.claim((level != 0) | _same(came, went))


def _continues(packet: PassingPacket, after: PassingPacket) -> Value:
    """Whether a flit behind another is of its packet, unless that was a tail."""
    return ~packet.open | ((packet.turn == after.turn) & (packet.header == after.header))


def _same(one: PassingPacket, other: PassingPacket) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    return (one.open == other.open) & _continues(one, other)


def _shown(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim what other properties need of the flit at the front."""
    went, front = channel.taken, channel.front
    shown = PassingPacket(~front.last, channel.shown_turn, header_of(channel.shown))
    harness.claim(~went.open | (went.turn.any() & is_one_hot_or_zero(went.turn)))
    harness.claim(~channel.valid | (front.held == went.open))
    harness.claim(~channel.valid | _continues(went, shown))
    harness.claim(~channel.valid | channel.is_as_known(channel.shown, channel.shown_turn))
    harness.claim(~channel.valid | (front.flit.last == front.last))


def _given(harness: CreditHarness, port: int) -> None:
    for vc in harness.fronts[port].vcs:
        channel = harness.queued[port, vc]
        if isinstance(channel, CopyChannel):
            claim_shown_copy(harness, channel)
        else:
            _shown(harness, channel)


def packets(front_name: str, kind: RouterKind, port: int) -> Property:
    """Property of an input port."""
    return Property(
        name=f"packets_{front_name}",
        text=f"the flits of a packet from {front_name} have one turn, without parity one header",
        claim=partial(_packets, port=port),
        given=partial(_given, port=port),
        lemmas=(*from_nodes(kind), QUEUES),
    )


def _order(harness: CreditHarness, place: Place) -> None:
    channel = harness.queued[place]
    if isinstance(channel, CopyChannel):
        claim_copy_order(harness, channel)
        return
    queue, front = channel.queue, channel.front
    token = Token(harness, channel, slot=queue.into, level=channel.level, leaves=channel.leaves)
    expected, inside = token.expected, token.inside
    if not channel.is_local:
        sent = data.View(channel.flit.shape(), harness.link(channel.port, "i_flit"))
        harness.claim(~channel.arrives | channel.is_received(sent))
    harness.claim(~inside | ((token.ahead < channel.level) & queue.is_at(token.slot, token.ahead)))
    harness.claim(~inside | (token.slot < channel.depth))
    harness.claim(~inside | channel.is_as_known(expected.flit, expected.turn))
    flit = channel.whole(queue.flit_at(token.slot), "token")
    harness.claim(~inside | (flit.as_value() == expected.flit.as_value()))
    word = queue.word_at(token.slot)
    harness.claim(~inside | (channel.turn_of(queue.code(word)) == expected.turn))
    harness.claim(~inside | (queue.last(word) == expected.flit.last))
    goes = harness.named(inside & (token.ahead == 0) & channel.leaves, f"goes_{channel.name}")
    way = harness.named(channel.chosen(expected.turn), f"way_{channel.name}")
    harness.claim(~goes | (channel.shown_turn == way))
    harness.claim(~goes | (front.flit.as_value() == expected.flit.as_value()))
    for number, turn in enumerate(channel.turns):
        output = harness.outputs[turn.output_port]
        leaves = harness.named(goes & way[number], f"leaves{number}_{channel.name}")
        harness.claim(~leaves | output.grants(front))
        if harness.can_happen(turn):
            harness.cover(leaves & ~token.first)
            harness.cover(leaves & token.first)


def order(network: Network, kind: RouterKind, place: Place) -> Property:
    """Property of one input channel."""
    name, link = channel_name(network, *place), network.topology.ports[place[0]]
    copies = bool(kind.branches(*place))
    kept = any(kind.branches(place[0], vc) for vc in kind.input_vcs(place[0]))
    turns = "once by each of its turns, whole," if copies else "once, whole, by its turn,"
    whole = (replace(packets(link, kind, place[0]), given=None),) if kept else ()
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its queue {turns} in order",
        claim=partial(_order, place=place),
        lemmas=(*from_nodes(kind), QUEUES, *whole),
    )
