"""Claims about queues: levels and credits, packets and their copies, and the order of flits."""

from dataclasses import replace
from functools import partial

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ..property import Property
from .channels import PassingPacket, Token, channel_name, has_broken_header, header_of
from .credit_channel import CreditChannel
from .credit_harness import CreditHarness
from .node_claims import injection_properties
from .router_harness import InputVc
from .special_channels import CopyChannel, CopyFront


def claim_copies(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim where a copy reads, and which ways are left to the packet at the head."""
    queue, gone, copy, rest = channel.queue, channel.copied, channel.copy, channel.remaining
    harness.claim(channel.fits)
    harness.claim((channel.hidden <= channel.level) & (gone <= channel.visible))
    harness.claim(queue.is_at(queue.head, gone) & queue.is_at(queue.end, channel.visible))
    if channel.is_local:
        came = channel.incoming
        harness.claim((channel.hidden != 0) == (came.open & channel.is_broadcast))
    else:
        harness.claim(channel.hidden == 0)
    for word, ahead in zip(queue.words, queue.ahead, strict=True):
        is_hidden = (ahead >= channel.visible) & (ahead < channel.level)
        harness.claim(~((ahead < gone) | is_hidden) | ~queue.last(word))
    # A copy that is not the last leaves flits behind as soon as its head has left.
    harness.claim((gone != 0) == (copy.open & ~channel.is_last_copy))
    harness.claim(~copy.open | ((copy.turn == channel.highest) & rest.any()))
    valid, front = channel.valid, channel.front
    harness.claim(~valid | (front.held == copy.open))
    harness.claim(~valid | rest.any())
    single = front.last & ~front.held
    harness.claim(~valid | (channel.front_turn == Mux(single, rest, channel.highest)))
    place = front.vcs.index(channel.vc)
    holds = harness.probe(front.gateware.holds)
    harness.claim(holds[place] == copy.open)
    if channel.is_local:
        harness.cover(channel.cancel)
    if len(harness.kind.branches(channel.port, channel.vc)) > 1:
        # Flits that leave again are of longer packets: a node's broadcasts have a limit.
        longest = harness.network.longest_copied_packet if channel.is_local else channel.depth
        if longest > 1:
            harness.cover(channel.leaves & channel.leaves_again & front.last)
        if longest > 2:
            harness.cover(gone == 2)
        # Copies of a flit that is its packet's only one leave in several cycles, or in one.
        harness.cover(valid & single & channel.leaves & ~is_one_hot_or_zero(channel.front_turn))


def claim_copied_packets(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim that a copy is of the packet at the head, whole, by the turns that this has left."""
    queue, gone, copy, rest = channel.queue, channel.copied, channel.copy, channel.remaining
    visible, went = channel.visible, channel.outgoing
    flits = [channel.complete_flit(word, f"copied{n}") for n, word in enumerate(queue.flits)]
    for slot, (word, flit) in enumerate(zip(queue.words, flits, strict=True)):
        ahead, turn = queue.ahead[slot], channel.turn_of(queue.code(word))
        is_left = (ahead < gone) & copy.open
        harness.claim(~is_left | (header_of(flit) == copy.header))
        is_shown = channel.valid & (ahead == gone)
        harness.claim(~is_shown | ((channel.front_turn & ~turn) == 0))
        is_first = (ahead == 0) & (visible != 0) & ~went.open
        harness.claim(~is_first | ((rest & ~turn) == 0))
        ends = (channel.hidden != 0) & (ahead + 1 == visible)
        harness.claim(~ends | queue.last(word))
    harness.claim((channel.hidden == 0) | (visible != 0) | ~went.open)
    harness.claim(went.open == (copy.open & channel.is_last_copy))
    harness.claim(~went.open | ((went.header == copy.header) & ((rest & ~went.turn) == 0)))
    harness.claim((visible != 0) | ~rest.any() | went.open)
    # Once a copy has left, the packet is there to its tail.
    word = queue.word_at(queue.start)
    every = Mux(went.open, went.turn, channel.turn_of(queue.code(word)))
    tails = [
        queue.last(one) & (ahead < visible)
        for one, ahead in zip(queue.words, queue.ahead, strict=True)
    ]
    harness.claim(~rest.any() | (rest == every) | Cat(tails).any())
    claim_shown_copy(harness, channel)


def claim_shown_copy(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim what other properties need of the flit at the front."""
    copy, front, valid = channel.copy, channel.front, channel.valid
    harness.claim(~copy.open | (copy.turn.any() & is_one_hot_or_zero(copy.turn)))
    harness.claim(~valid | (front.held == copy.open))
    alike = (channel.front_turn == copy.turn) & (header_of(channel.front_flit) == copy.header)
    harness.claim(~(valid & copy.open) | alike)
    harness.claim(~valid | (front.flit.last == front.last))
    harness.claim(~valid | channel.header_matches(channel.front_flit, channel.front_turn))


class _CopiedToken(Token):
    """Any one flit on its way through a queue, once per copy.

    Members
    -------
    sent : Signal
        Turns by which it has left, a bit each.
    leaves : Signal
        Turns by which it leaves, a bit each.
    """

    def __init__(self, harness: CreditHarness, channel: CopyChannel) -> None:
        m, name = harness.m, channel.name
        super().__init__(
            harness, channel, slot=channel.queue.into, level=channel.level, leaves=channel.frees
        )
        self.sent = harness.register(len(channel.turns), f"sent_{name}")
        shown = self.inside & (self.ahead == channel.copied)
        leaves = Cat(shown & channel.leaves_by(turn) for turn in channel.turns)
        self.leaves = harness.named(leaves, f"leaves_by_{name}")
        m.d.sync += self.sent.eq(Mux(self.inside, self.sent | self.leaves, 0))
        with m.If(self.inside & channel.cancel & (self.ahead >= channel.visible)):
            m.d.sync += self.inside.eq(0)


def claim_copy_order(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim that a flit leaves once by each of its turns, whole, before it is freed."""
    queue, front, token = channel.queue, channel.front, _CopiedToken(harness, channel)
    expected, inside, ahead, sent = token.expected, token.inside, token.ahead, token.sent
    if not channel.is_local:
        came = data.View(channel.flit.shape(), harness.link(channel.port, "i_flit"))
        harness.claim(~channel.arrives | channel.is_received(came))
    harness.claim(~inside | ((ahead < channel.level) & queue.is_at(token.slot, ahead)))
    harness.claim(~inside | (token.slot < channel.depth))
    flit = channel.complete_flit(queue.flit_at(token.slot), "token")
    harness.claim(~inside | (flit.as_value() == expected.flit.as_value()))
    word = queue.word_at(token.slot)
    harness.claim(~inside | (channel.turn_of(queue.code(word)) == expected.turn))
    harness.claim(~inside | (queue.last(word) == expected.flit.last))
    harness.claim(~inside | channel.header_matches(expected.flit, expected.turn))
    harness.claim(~inside | (sent == _sent(harness, channel, token)))
    copies = channel.copies_of(expected.flit)
    freed = inside & channel.frees & (ahead == 0)
    harness.claim(~freed | ((sent | token.leaves) == expected.turn))
    for number, turn in enumerate(channel.turns):
        output, leaves = harness.outputs[turn.output_port], token.leaves[number]
        harness.claim(~leaves | (expected.turn[number] & ~sent[number] & output.grants(front)))
        copy = expected.flit.as_value() if output.is_local else copies[number]
        left = front.flit_to(turn.output_port)
        alike = left == copy
        if harness.network.has_parity and turn not in harness.kind.broadcast_turns:
            # Where the mark of a broadcast is wrong, so may the label be: the flit stays broken.
            flits = [data.View(expected.flit.shape(), value) for value in (left, copy)]
            alike |= expected.flit.broadcast & (
                has_broken_header(flits[0]) == has_broken_header(flits[1])
            )
        harness.claim(~leaves | alike)
        if harness.can_happen(turn):
            harness.cover(leaves & token.first)
            harness.cover(leaves & ~token.first)


def _sent(harness: CreditHarness, channel: CopyChannel, token: _CopiedToken) -> Value:
    """Turns by which the token must have left: those that its packet has behind it.

    The copy that leaves counts for flits before the one that is shown.
    """
    queue, rest = channel.queue, channel.remaining
    tails = [
        queue.last(word) & (before < token.ahead)
        for word, before in zip(queue.words, queue.ahead, strict=True)
    ]
    begun = harness.named(rest.any() & ~Cat(tails).any(), f"begun_{channel.name}")
    by_copy = Mux(token.ahead < channel.copied, channel.copy.turn, 0)
    return Mux(begun, (token.expected.turn & ~rest) | by_copy, 0)


COVERED_FLITS = 4
"""Flits up to which a queue is shown to fill: the trace that fills a deep one is long."""


def _claim_queues(harness: CreditHarness) -> None:
    for channel in harness.queued.values():
        _claim_levels(harness, channel)
        _claim_turns(harness, channel)
        for fact in channel.register_claims():
            harness.claim(fact)
        if isinstance(channel, CopyChannel):
            claim_copies(harness, channel)
        if not channel.is_local:
            _claim_returns(harness, channel)
    for front in harness.fronts.values():
        filled = {vc: harness.queued[front.port, vc].readable != 0 for vc in front.vcs}
        harness.claim(front.occupied == Cat(filled.values()).any())
        shown = Cat(front.is_of(vc) for vc in front.vcs)
        harness.claim((shown.any() | ~front.occupied) & is_one_hot_or_zero(shown))
        for vc, some in filled.items():
            harness.claim(~(front.occupied & front.is_of(vc)) | some)
        harness.claim(front.is_legal)


def _claim_levels(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that no flit comes without a place, and what the queue says of itself."""
    queue, level, depth = channel.queue, channel.level, channel.depth
    harness.claim(level <= depth)
    harness.claim(~channel.arrives | (level < depth))
    readable = channel.readable
    harness.claim(~channel.leaves | (readable != 0))
    harness.claim((queue.nonempty == (readable != 0)) & (queue.at_least_two == (readable > 1)))
    harness.claim(queue.full == (level == depth))
    harness.claim(queue.in_range() & queue.is_at(queue.into, level))
    if any(harness.can_happen(turn) for turn in channel.turns):
        harness.cover(level == min(depth, COVERED_FLITS))
        harness.cover(channel.arrives & channel.leaves)


def _claim_turns(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that each entry has turns of the channel, and the front shows the first."""
    queue = channel.queue
    for word, twin, ahead in zip(queue.words, queue.twins, queue.ahead, strict=True):
        harness.claim((ahead >= channel.level) | (word == twin))
        turn = channel.turn_of(queue.code(word))
        fits = channel.may_take(turn) & channel.front.fits(queue.code(word), channel.turns)
        harness.claim((ahead >= channel.level) | fits)
        is_shown = channel.valid & (ahead == channel.copied)
        if not isinstance(channel.front, CopyFront):  # `packets` claims it of the others
            harness.claim(~is_shown | (channel.front_turn == channel.chosen(turn)))
        harness.claim(~is_shown | (channel.front.last == queue.last(word)))
    if isinstance(channel.front, CopyFront):
        alone = not isinstance(channel, CopyChannel)
        fits = channel.front.fits(channel.front.exits, channel.turns)
        fits &= is_one_hot_or_zero(channel.front.exits) if alone else Const(1)
        harness.claim(~channel.valid | fits)


def _claim_returns(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that one credit returns for each flit that leaves, in the cycle after."""
    left = harness.register(1, f"left_{channel.name}")
    harness.m.d.sync += left.eq(channel.frees)
    harness.claim(channel.credit == left)
    harness.claim(channel.outstanding == channel.level + channel.credit)
    valid = harness.link(channel.port, "i_valid")
    harness.claim(channel.arrives == valid[channel.vc])
    harness.cover(channel.credit & channel.arrives)


def _claim_credits(harness: CreditHarness) -> None:
    for (port, vc), receiver in harness.receivers.items():
        output = harness.outputs[port]
        granted = harness.register(1, f"granted_{receiver.name}")
        harness.m.d.sync += granted.eq(output.taken(vc))
        harness.claim(receiver.sent == granted)
        harness.claim(receiver.counts())
        harness.claim(receiver.outstanding + receiver.sent <= receiver.depth)
        harness.claim(
            receiver.has_credit == (receiver.outstanding + receiver.sent < receiver.depth)
        )
        if receiver.all_free is not None:
            harness.claim(receiver.all_free == receiver.is_empty)
        harness.claim(~output.taken(vc) | receiver.has_credit)
        turns = [t for t in harness.kind.turns if (t.output_port, t.output_vc) == (port, vc)]
        if any(harness.can_happen(turn) for turn in turns):
            harness.cover(receiver.outstanding == min(receiver.depth, COVERED_FLITS))
            harness.cover(receiver.sent & receiver.credit)
    for port in harness.kind.sending:
        valid = harness.link(port, "o_valid")
        unused = set(harness.own_vcs).difference(harness.kind.output_vcs(port))
        harness.claim(~Cat(valid[vc] for vc in sorted(unused)).any())


QUEUES = Property(
    name="queues",
    text="no queue takes a flit without a place, or gives one that it does not have; one credit "
    "returns for each flit that leaves",
    claim=_claim_queues,
)
CREDITS = Property(
    name="credits",
    text="no flit is sent without a credit: at most buffer_depth more than credits came back",
    claim=_claim_credits,
    lemmas=(QUEUES,),
)


def _claim_packets(harness: CreditHarness, port: int) -> None:
    front = harness.fronts[port]
    holds = harness.probe(front.gateware.holds)
    for place, vc in enumerate(front.vcs):
        channel = harness.queued[port, vc]
        _claim_chain(harness, channel)
        if isinstance(channel, CopyChannel):
            claim_copied_packets(harness, channel)
            continue
        harness.claim(holds[place] == channel.outgoing.open)
        if not isinstance(front, CopyFront) and len(front.vcs) > 1:
            under_way = harness.probe(front.gateware.under_way)
            harness.claim(under_way[place] == channel.incoming.open)
        chosen = channel.outgoing._replace(turn=channel.chosen(channel.outgoing.turn))
        harness.claim(_same(channel.taken, chosen))
        if isinstance(front, CopyFront):
            for word, ahead in zip(channel.queue.words, channel.queue.ahead, strict=True):
                is_shown = channel.valid & (ahead == 0)
                turn = channel.turn_of(channel.queue.code(word))
                harness.claim(~is_shown | (channel.front_turn == turn))
        _claim_front(harness, channel)


def _claim_chain(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim that each flit continues the packet of the one before it, or begins one."""
    queue, level = channel.queue, channel.level
    came, went = channel.incoming, channel.outgoing
    flits = [channel.complete_flit(word, f"flit{n}") for n, word in enumerate(queue.flits)]
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
        kept = channel.header_matches(flits[slot], channel.any_way(turns[slot]))
        kept &= flits[slot].last == queue.last(queue.words[slot])
        harness.claim((ahead >= level) | kept)
    harness.claim((level != 0) | _same(came, went))


def _continues(packet: PassingPacket, after: PassingPacket) -> Value:
    """Whether a flit behind another is of its packet, unless that was a tail."""
    return ~packet.open | ((packet.turn == after.turn) & (packet.header == after.header))


def _same(one: PassingPacket, other: PassingPacket) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    return (one.open == other.open) & _continues(one, other)


def _claim_front(harness: CreditHarness, channel: CreditChannel) -> None:
    """Claim what other properties need of the flit at the front."""
    went, front = channel.taken, channel.front
    shown = PassingPacket(~front.last, channel.front_turn, header_of(channel.front_flit))
    harness.claim(~went.open | (went.turn.any() & is_one_hot_or_zero(went.turn)))
    harness.claim(~channel.valid | (front.held == went.open))
    harness.claim(~channel.valid | _continues(went, shown))
    harness.claim(~channel.valid | channel.header_matches(channel.front_flit, channel.front_turn))
    harness.claim(~channel.valid | (front.flit.last == front.last))


def _guarantee(harness: CreditHarness, port: int) -> None:
    for vc in harness.fronts[port].vcs:
        channel = harness.queued[port, vc]
        if isinstance(channel, CopyChannel):
            claim_shown_copy(harness, channel)
        else:
            _claim_front(harness, channel)


def packets_property(front_name: str, kind: RouterKind, port: int) -> Property:
    """Property of an input port."""
    return Property(
        name=f"packets_{front_name}",
        text=f"the flits of a packet from {front_name} have one turn, without parity one header",
        claim=partial(_claim_packets, port=port),
        guarantee=partial(_guarantee, port=port),
        lemmas=(*injection_properties(kind), QUEUES),
    )


def _claim_order(harness: CreditHarness, place: InputVc) -> None:
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
    turns = channel.any_way(expected.turn)
    harness.claim(~inside | channel.header_matches(expected.flit, turns))
    flit = channel.complete_flit(queue.flit_at(token.slot), "token")
    harness.claim(~inside | (flit.as_value() == expected.flit.as_value()))
    word = queue.word_at(token.slot)
    harness.claim(~inside | (channel.turn_of(queue.code(word)) == expected.turn))
    harness.claim(~inside | (queue.last(word) == expected.flit.last))
    goes = harness.named(inside & (token.ahead == 0) & channel.leaves, f"goes_{channel.name}")
    way = harness.named(channel.chosen(expected.turn), f"way_{channel.name}")
    harness.claim(~goes | (channel.front_turn == way))
    harness.claim(~goes | (front.flit.as_value() == expected.flit.as_value()))
    for number, turn in enumerate(channel.turns):
        output = harness.outputs[turn.output_port]
        leaves = harness.named(goes & way[number], f"leaves{number}_{channel.name}")
        harness.claim(~leaves | output.grants(front))
        if harness.can_happen(turn):
            harness.cover(leaves & ~token.first)
            harness.cover(leaves & token.first)


def order_property(network: Network, kind: RouterKind, place: InputVc) -> Property:
    """Property of one input channel."""
    name, link = channel_name(network, *place), network.topology.ports[place[0]]
    copies = bool(kind.branches(*place))
    kept = any(kind.branches(place[0], vc) for vc in kind.input_vcs(place[0]))
    turns = "once by each of its turns, whole," if copies else "once, whole, by its turn,"
    whole = (replace(packets_property(link, kind, place[0]), guarantee=None),) if kept else ()
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its queue {turns} in order",
        claim=partial(_claim_order, place=place),
        lemmas=(*injection_properties(kind), QUEUES, *whole),
    )
