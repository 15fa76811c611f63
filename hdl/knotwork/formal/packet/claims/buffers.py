"""Claims about a packet router's buffers."""

from collections.abc import Iterator
from functools import partial

from amaranth.hdl import Mux, Value
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ...property import Property
from ..harness import PacketHarness
from ..observed.arbiters import Arbiter
from ..observed.channel import PassingPacket, channel_name, header_of
from ..observed.plain_channel import PlainChannel
from ..router_harness import Place
from .injection import from_nodes

COVERED_FLITS = 4
"""Flits up to which a buffer is shown to fill: the trace that fills a deep one is long."""


def _levels(harness: PacketHarness) -> None:
    for channel in harness.plain.values():  # `branch_buffers` claims the same of the others
        buffer = channel.buffer
        harness.claim(buffer.is_consistent())
        harness.claim(~buffer.arrives | (buffer.level < buffer.depth))
        harness.claim(~buffer.leaves | (buffer.level > 0))
        harness.claim(buffer.holds_its_flits())
        if any(harness.can_happen(turn) for turn in channel.turns):
            harness.cover(buffer.level == min(buffer.depth, COVERED_FLITS))


def _order(harness: PacketHarness, place: Place) -> None:
    channel = harness.plain[place]
    _token(harness, channel)
    if not channel.is_local:
        valid, ready = harness.link(channel.port, "i_valid"), harness.link(channel.port, "i_ready")
        harness.claim(channel.offered == valid[channel.vc])
        harness.claim(channel.arrives == (valid[channel.vc] & ready[channel.vc]))
        flit = harness.link(channel.port, "i_flit")
        harness.claim(~channel.offered | (channel.entry.flit.as_value() == flit))


class _Token:
    """Any one flit on its way through a plain buffer.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Flits before it.
    slot, before, newest : Signal
        Words of this flit, of the flit that came before it, and of the last one that came.
    expected : View
        Its entry when it came.
    first : Signal
        It is the head flit of its packet.
    """

    def __init__(self, harness: PacketHarness, channel: PlainChannel) -> None:
        m, name, buffer = harness.m, channel.name, channel.buffer
        self.inside = harness.register(1, f"inside_{name}")
        self.ahead = harness.register(range(buffer.depth), f"ahead_{name}")
        bits = len(buffer.slot)
        self.slot = harness.register(bits, f"slot_{name}")
        self.before = harness.register(bits, f"before_{name}")
        self.newest = harness.register(bits, f"newest_{name}")
        self.expected = harness.record(channel.entries.layout, f"expected_{name}")
        self.first = harness.register(1, f"first_{name}")
        with m.If(channel.arrives):
            m.d.sync += self.newest.eq(buffer.slot)
        with m.If(~self.inside & channel.arrives & harness.any_value()):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(buffer.level - channel.leaves),
                self.slot.eq(buffer.slot),
                self.before.eq(self.newest),
                self.expected.eq(channel.entry),
                self.first.eq(~channel.incoming.open),
            ]
        with m.Elif(self.inside & channel.leaves):
            m.d.sync += [self.inside.eq(self.ahead != 0), self.ahead.eq(self.ahead - 1)]


def _token(harness: PacketHarness, channel: PlainChannel) -> None:
    token, buffer = _Token(harness, channel), channel.buffer
    expected, inside, ahead = token.expected, token.inside, token.ahead
    found = buffer.at(token.slot, ahead)
    there = (ahead < buffer.level) & buffer.is_at(token.slot, ahead)
    harness.claim(~inside | (there & (found.as_value() == expected.as_value())))
    harness.claim(~inside | (expected.turn.any() & is_one_hot_or_zero(expected.turn)))
    harness.claim(~inside | channel.entries.is_as_known(expected))
    _after_its_packet(harness, channel, token)
    goes = harness.named(inside & (ahead == 0) & channel.leaves, f"goes_{channel.name}")
    harness.claim(~goes | (channel.head.as_value() == expected.as_value()))
    for number, turn in enumerate(channel.turns):
        if harness.can_happen(turn):
            later = ~token.first if harness.can_be_long(turn) else 1
            harness.cover(goes & expected.turn[number] & later)


def _after_its_packet(harness: PacketHarness, channel: PlainChannel, token: _Token) -> None:
    """Claim that the flit before the token, if of its packet, has its turn and header."""
    came, went, buffer = channel.incoming, channel.outgoing, channel.buffer
    mine = PassingPacket(~token.first, token.expected.turn, header_of(token.expected.flit))
    before = buffer.at(token.before, token.ahead - 1)
    waits = token.inside & (token.ahead != 0)
    harness.claim(~waits | buffer.is_at(token.before, token.ahead - 1))
    harness.claim(~waits | _same(_passed(before), mine))
    harness.claim(~token.inside | waits | _same(went, mine))
    newest = buffer.at(token.newest, buffer.level - 1)
    is_empty = buffer.level == 0
    harness.claim(is_empty | buffer.is_at(token.newest, buffer.level - 1))
    harness.claim(Mux(is_empty, _same(came, went), _same(came, _passed(newest))))


def _passed(entry: data.View) -> PassingPacket:
    return PassingPacket(~entry.flit.last, entry.turn, header_of(entry.flit))


def _same(one: PassingPacket, other: PassingPacket) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    alike = (one.turn == other.turn) & (one.header == other.header)
    return (one.open == other.open) & (~one.open | alike)


def _head(harness: PacketHarness, place: Place) -> None:
    """Claim of the flit at the head what `order` claims of any flit."""
    channel = harness.plain[place]
    head, packet = channel.head, channel.outgoing
    harness.claim(~channel.valid | (head.turn.any() & is_one_hot_or_zero(head.turn)))
    harness.claim(~channel.valid | channel.entries.is_as_known(head))
    alike = (packet.turn == head.turn) & (packet.header == header_of(head.flit))
    harness.claim(~(channel.valid & packet.open) | alike)


def _arbiters(harness: PacketHarness) -> Iterator[Arbiter]:
    for output in harness.outputs:
        yield from (output.arbiter(vc) for vc in output.vcs)
        yield from filter(None, [output.switch()])
    yield from filter(None, [harness.accept(port) for port in harness.kind.ports])


def _grants(harness: PacketHarness) -> None:
    for arbiter in _arbiters(harness):
        harness.claim(arbiter.is_consistent())
        harness.claim(is_one_hot_or_zero(arbiter.grant))
    for output in harness.outputs:
        for vc in output.vcs:
            grant = output.arbiter(vc).grant
            for number, (_, turn) in enumerate(output.turns(vc)):
                if harness.can_happen(turn):
                    harness.cover(grant[number])


LEVELS = Property(
    name="buffers",
    text="no buffer takes a flit without room, or gives one that it does not have",
    claim=_levels,
)
GRANTS = Property(
    name="grants",
    text="every arbiter grants at most one requester",
    claim=_grants,
)


def order(network: Network, kind: RouterKind, port: int, vc: int) -> Property:
    """Property of one input channel where no packet branches."""
    name = channel_name(network, port, vc)
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its buffer once, whole, with its turn, in order",
        claim=partial(_order, place=(port, vc)),
        given=partial(_head, place=(port, vc)),
        lemmas=(*from_nodes(kind), LEVELS, GRANTS),
    )
