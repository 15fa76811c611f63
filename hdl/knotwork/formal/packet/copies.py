"""Claims about packets that are copied: which copy leaves, and each flit once by each turn."""

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ...gateware.parts.arbiter import is_one_hot_or_zero
from .channels import Token, has_broken_header, header_of
from .copy_channel import CopyChannel
from .credit_harness import CreditHarness


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
