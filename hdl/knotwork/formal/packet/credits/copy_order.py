"""Claims that any one flit that comes where packets are copied leaves once by each of its turns."""

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ..observed.node_side import has_broken_header
from .harness import CreditHarness
from .observed.copy_channel import CopyChannel


class _Token:
    """Any one flit on its way through a queue.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Flits before it.
    slot : Signal
        Pointer to it.
    expected : View
        The flit and its turns when it came.
    sent : Signal
        Turns by which it has left, a bit each.
    first : Signal
        It is the head of its packet.
    leaves : Signal
        Turns by which it leaves, a bit each.
    """

    def __init__(self, harness: CreditHarness, channel: CopyChannel) -> None:
        m, name, entry = harness.m, channel.name, channel.entry
        self.inside = harness.register(1, f"inside_{name}")
        self.ahead = harness.register(range(channel.depth), f"ahead_{name}")
        self.slot = harness.register(len(channel.queue.into), f"slot_{name}")
        self.expected = harness.record(entry.shape(), f"expected_{name}")
        self.first = harness.register(1, f"first_{name}")
        self.sent = harness.register(len(channel.turns), f"sent_{name}")
        shown = self.inside & (self.ahead == channel.gone)
        leaves = Cat(shown & channel.goes(turn) for turn in channel.turns)
        self.leaves = harness.named(leaves, f"leaves_by_{name}")
        comes = harness.named(~self.inside & channel.arrives & harness.any_value(), f"comes_{name}")
        frees = channel.frees
        with m.If(comes):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(channel.level - frees),
                self.slot.eq(channel.queue.into),
                self.expected.eq(entry),
                self.first.eq(~channel.incoming.open),
                self.sent.eq(0),
            ]
        with m.Elif(self.inside):
            is_cancelled = channel.cancel & (self.ahead >= channel.visible)
            m.d.sync += [
                self.inside.eq(~(frees & (self.ahead == 0)) & ~is_cancelled),
                self.ahead.eq(self.ahead - frees),
                self.sent.eq(self.sent | self.leaves),
            ]


def claim_copy_order(harness: CreditHarness, channel: CopyChannel) -> None:
    """Claim that a flit leaves once by each of its turns, whole, before it is freed."""
    queue, front, token = channel.queue, channel.front, _Token(harness, channel)
    expected, inside, ahead, sent = token.expected, token.inside, token.ahead, token.sent
    if not channel.is_local:
        came = data.View(channel.flit.shape(), harness.link(channel.port, "i_flit"))
        harness.claim(~channel.arrives | channel.is_received(came))
    harness.claim(~inside | ((ahead < channel.level) & queue.is_at(token.slot, ahead)))
    harness.claim(~inside | (token.slot < channel.depth))
    flit = channel.whole(queue.flit_at(token.slot), "token")
    harness.claim(~inside | (flit.as_value() == expected.flit.as_value()))
    word = queue.word_at(token.slot)
    harness.claim(~inside | (channel.turn_of(queue.code(word)) == expected.turn))
    harness.claim(~inside | (queue.last(word) == expected.flit.last))
    harness.claim(~inside | channel.is_as_known(expected.flit, expected.turn))
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


def _sent(harness: CreditHarness, channel: CopyChannel, token: _Token) -> Value:
    """Turns by which the token must have left: those that its packet has behind it.

    The copy that leaves counts for flits before the one that is shown.
    """
    queue, rest = channel.queue, channel.rest
    tails = [
        queue.last(word) & (before < token.ahead)
        for word, before in zip(queue.words, queue.ahead, strict=True)
    ]
    begun = harness.named(rest.any() & ~Cat(tails).any(), f"begun_{channel.name}")
    by_copy = Mux(token.ahead < channel.gone, channel.copy.turn, 0)
    return Mux(begun, (token.expected.turn & ~rest) | by_copy, 0)
