"""Claims that any one flit that comes where packets branch leaves once by each branch."""

from functools import partial

from amaranth.hdl import Cat
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network
from ...property import Property
from ..branching.channel import BranchingChannel
from ..harness import PacketHarness
from ..observed.channel import channel_name, header_of
from ..router_harness import Place
from .branch_buffers import branch_buffer
from .buffers import GRANTS
from .injection import INJECTION


class _Token:
    """Any one flit on its way through a buffer where packets branch.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Its place: flits before it.
    slot : Signal
        Its word of the memory.
    expected : View
        Its entry when it came: the flit and its turns.
    number : Signal
        Flits of its broadcast that came before it.
    copies : list of View
        By turn, the flit as it must leave.
    """

    def __init__(self, harness: PacketHarness, channel: BranchingChannel) -> None:
        m, contents, freed = harness.m, channel.contents, channel.front.freed
        ports, memory = channel.ports, channel.memory
        self.inside = ports.register(1, "token")
        self.ahead = ports.register(range(channel.depth), "ahead")
        self.slot = ports.register(len(memory.pointer("into")), "slot")
        self.expected = harness.record(channel.layout, f"expected_{channel.name}")
        self.number = ports.register(range(channel.longest + 1), "number")
        flit = ports.incoming_flit
        self.copies: list[data.View] = []
        comes = harness.named(~self.inside & channel.arrives & harness.any_value(), "comes")
        for number, turn in enumerate(channel.turns):
            header = ports.header_by(turn, header_of(flit), ports.choice)
            kept = ports.register(len(header), f"copy{number}")
            whole = self.expected.flit.as_value()[: flit.shape().size - len(header)]
            self.copies.append(data.View(memory.flit_layout, Cat(whole, kept)))
            with m.If(comes):
                m.d.sync += kept.eq(header)
        with m.If(comes):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(contents.later),
                self.slot.eq(memory.pointer("into")),
                self.expected.eq(channel.entry),
                self.number.eq(channel.incoming.count),
            ]
        with m.Elif(self.inside):
            is_cancelled = ports.cancel & (self.ahead >= contents.tail)
            m.d.sync += [
                self.inside.eq((self.ahead >= freed) & ~is_cancelled),
                self.ahead.eq(self.ahead - freed),
            ]


def _copies(harness: PacketHarness, place: Place) -> None:
    channel = harness.branching[place]
    token, front, contents = _Token(harness, channel), channel.front, channel.contents
    ports, memory = channel.ports, channel.memory
    expected, inside, ahead = token.expected, token.inside, token.ahead
    turns, is_copy = expected.turn, expected.flit.broadcast
    if not channel.is_local:
        valid, ready = harness.link(channel.port, "i_valid"), harness.link(channel.port, "i_ready")
        harness.claim(channel.offered == valid[channel.vc])
        harness.claim(channel.arrives == (valid[channel.vc] & ready[channel.vc]))
    harness.claim(~inside | ((ahead < contents.level) & (token.slot == memory.slot(ahead))))
    found = memory.word(token.slot, "found")
    harness.claim(~inside | (found.as_value() == expected.flit.as_value()))
    choice = ports.choice_of(header_of(expected.flit), "token")
    harness.claim(~inside | ((choice.turns == turns) & turns.any()))
    harness.claim(~inside | is_copy | is_one_hot_or_zero(turns))
    _number(harness, channel, token)
    passes = harness.named(inside & (ahead < front.freed), f"passes_{channel.name}")
    for number, turn in enumerate(channel.turns):
        output = harness.output(turn.output_port)
        header = ports.header_by(turn, header_of(expected.flit), choice)
        harness.claim(~inside | (header_of(token.copies[number]) == header))
        gone, goes = front.gone[number], ports.crosses[number]
        leaves = harness.named(inside & goes & (gone == ahead), f"leaves{number}_{channel.name}")
        out = output.crosses(turn.output_vc) & output.shows(token.copies[number])
        harness.claim(~leaves | (turns[number] & out))
        # The buffer frees it only once each of its branches has sent it.
        harness.claim(~(passes & turns[number]) | (gone + goes > ahead))
        if harness.can_happen(turn):
            second = (token.number != 0) if channel.longest > 1 else 1
            harness.cover(leaves & is_copy & second if number in channel.branches else leaves)
    if channel.longest > 1:
        harness.cover(passes & is_copy & (ahead + 1 < front.freed))


def _number(harness: PacketHarness, channel: BranchingChannel, token: _Token) -> None:
    """Claim that as many flits of a broadcast leave before the token as came before it.

    So no copy is longer than allowed, as the next router may assume.
    """
    inside, ahead, number = token.inside, token.ahead, token.number
    memory = channel.memory
    is_copy = inside & token.expected.flit.broadcast
    harness.claim(~is_copy | ((number <= ahead) & (number < channel.longest)))
    if not channel.is_local:
        harness.claim(~is_copy | (number + 1 < channel.longest) | token.expected.flit.last)
    start = harness.named(ahead - number, f"start_{channel.name}")[: len(ahead)]
    before = memory.word(memory.slot(start - 1), "before")
    harness.claim(~is_copy | (start == 0) | before.last)
    for slot, word in enumerate(memory.words):
        here = memory.places[slot]
        alike = header_of(word) == header_of(token.expected.flit)
        harness.claim(~(is_copy & (here >= start) & (here < ahead)) | (~word.last & alike))
    for gone, goes in zip(channel.front.gone, channel.ports.crosses, strict=True):
        harness.claim(~(is_copy & goes & (gone == ahead)) | (number == ahead))


def _head(harness: PacketHarness, place: Place) -> None:
    """Claim of the flit that is shown what `_copies` claims of any flit."""
    channel = harness.branching[place]
    turns, is_copy = channel.ports.shown_choice.turns, channel.shown.broadcast
    harness.claim(~channel.valid | (turns.any() & (is_copy | is_one_hot_or_zero(turns))))


def branch_order(network: Network, port: int, vc: int) -> Property:
    """Property of one input channel where packets branch."""
    name = channel_name(network, port, vc)
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves once by each branch of its packet and by no "
        "other turn, whole, in order, and stays until all have sent it",
        claim=partial(_copies, place=(port, vc)),
        given=partial(_head, place=(port, vc)),
        lemmas=(INJECTION, GRANTS, branch_buffer(name, (port, vc))),
    )
