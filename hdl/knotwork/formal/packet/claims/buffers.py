"""Claims about a packet router's buffers."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from amaranth.hdl import Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network
from ....topology import LOCAL
from ...prover import Property
from ..branching.channel import BranchingInput
from ..harness import PacketBench
from ..observed.arbiters import Arbiter
from ..observed.channel import Channel, Packets, header_of
from .injection import INJECTION

_COVERED = 4
"""Flits that a buffer is shown to hold: a trace that fills a deep one is long."""


def _levels(bench: PacketBench) -> None:
    for channel in bench.channels.values():
        if isinstance(channel, BranchingInput):  # it has a property of its own
            continue
        bench.claim(channel.is_consistent())
        bench.claim(~channel.arrives | (channel.level < channel.depth))
        bench.claim(~channel.leaves | (channel.level > 0))
        bench.claim(channel.holds_its_flits())
        if any(bench.can_happen(turn) for turn in channel.turns):
            bench.cover(channel.level == min(channel.depth, _COVERED))


def _order(bench: PacketBench, place: tuple[int, int]) -> None:
    channel = bench.plain(place)
    _token(bench, channel)
    if channel.port != LOCAL:
        valid, ready = bench.link(channel.port, "i_valid"), bench.link(channel.port, "i_ready")
        bench.claim(channel.offered == valid[channel.vc])
        bench.claim(channel.arrives == (valid[channel.vc] & ready[channel.vc]))
        flit = bench.link(channel.port, "i_flit")
        bench.claim(~channel.offered | (channel.entry.flit.as_value() == flit))


class _Token:
    """Any one flit on its way through a buffer.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Flits before it.
    slot, before, newest : Signal
        Its place, that of the flit that came before it, and that of the last one that came.
    expected : Signal
        What it was when it came.
    first : Signal
        It is its packet's first.
    """

    def __init__(self, bench: PacketBench, channel: Channel) -> None:
        m, name = bench.m, channel.name
        self.inside = bench.register(1, f"inside_{name}")
        self.ahead = bench.register(range(channel.depth), f"ahead_{name}")
        bits = len(channel.slot)
        self.slot = bench.register(bits, f"slot_{name}")
        self.before = bench.register(bits, f"before_{name}")
        self.newest = bench.register(bits, f"newest_{name}")
        self.expected: Any = bench.register(channel.layout, f"expected_{name}")
        self.first = bench.register(1, f"first_{name}")
        with m.If(channel.arrives):
            m.d.sync += self.newest.eq(channel.slot)
        with m.If(~self.inside & channel.arrives & bench.any_value()):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(channel.level - channel.leaves),
                self.slot.eq(channel.slot),
                self.before.eq(self.newest),
                self.expected.eq(channel.entry),
                self.first.eq(~channel.incoming.open),
            ]
        with m.Elif(self.inside & channel.leaves):
            m.d.sync += [self.inside.eq(self.ahead != 0), self.ahead.eq(self.ahead - 1)]


def _token(bench: PacketBench, channel: Channel) -> None:
    token = _Token(bench, channel)
    expected, inside, ahead = token.expected, token.inside, token.ahead
    found = channel.at(token.slot, ahead)
    there = (ahead < channel.level) & channel.is_at(token.slot, ahead)
    bench.claim(~inside | (there & (found.as_value() == expected.as_value())))
    bench.claim(~inside | (expected.turn.any() & is_one_hot_or_zero(expected.turn)))
    bench.claim(~inside | channel.is_as_known(expected))
    _after_its_packet(bench, channel, token)
    goes = bench.named(inside & (ahead == 0) & channel.leaves, f"goes_{channel.name}")
    bench.claim(~goes | (channel.head.as_value() == expected.as_value()))
    for number, turn in enumerate(channel.turns):
        if bench.can_happen(turn):
            later = ~token.first if bench.can_be_long(turn) else 1
            bench.cover(goes & expected.turn[number] & later)


def _after_its_packet(bench: PacketBench, channel: Channel, token: _Token) -> None:
    """Claim that the flit before the token, if of its packet, has its turn and header."""
    came, went = channel.incoming, channel.outgoing
    mine = Packets(~token.first, token.expected.turn, header_of(token.expected.flit))
    before = channel.at(token.before, token.ahead - 1)
    waits = token.inside & (token.ahead != 0)
    bench.claim(~waits | channel.is_at(token.before, token.ahead - 1))
    bench.claim(~waits | _same(_passed(before), mine))
    bench.claim(~token.inside | waits | _same(went, mine))
    newest = channel.at(token.newest, channel.level - 1)
    is_empty = channel.level == 0
    bench.claim(is_empty | channel.is_at(token.newest, channel.level - 1))
    bench.claim(Mux(is_empty, _same(came, went), _same(came, _passed(newest))))


def _passed(entry: Any) -> Packets:
    return Packets(~entry.flit.last, entry.turn, header_of(entry.flit))


def _same(one: Packets, other: Packets) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    alike = (one.turn == other.turn) & (one.header == other.header)
    return (one.open == other.open) & (~one.open | alike)


def _head(bench: PacketBench, place: tuple[int, int]) -> None:
    """What `order` says of any flit, of the one at the head."""
    channel = bench.plain(place)
    head, packet = channel.head, channel.outgoing
    bench.claim(~channel.valid | (head.turn.any() & is_one_hot_or_zero(head.turn)))
    bench.claim(~channel.valid | channel.is_as_known(head))
    alike = (packet.turn == head.turn) & (packet.header == header_of(head.flit))
    bench.claim(~(channel.valid & packet.open) | alike)


def _arbiters(bench: PacketBench) -> Iterator[Arbiter]:
    for output in bench.outputs:
        yield from (output.arbiter(vc) for vc in output.vcs)
        yield from filter(None, [output.switch()])
    yield from filter(None, [bench.accept(port) for port in bench.kind.ports])


def _grants(bench: PacketBench) -> None:
    for arbiter in _arbiters(bench):
        bench.claim(arbiter.is_consistent())
        bench.claim(is_one_hot_or_zero(arbiter.grant))
    for output in bench.outputs:
        for vc in output.vcs:
            grant = output.arbiter(vc).grant
            for number, (_, turn) in enumerate(output.turns(vc)):
                if bench.can_happen(turn):
                    bench.cover(grant[number])


LEVELS = Property(
    name="buffers",
    text="no buffer takes a flit without room, or gives one that it has not",
    claim=_levels,
)
GRANTS = Property(
    name="grants",
    text="every arbiter grants one at most",
    claim=_grants,
)


def order(network: Network, port: int, vc: int) -> Property:
    """Property of one input channel."""
    name = f"{network.topology.ports[port]}_vc{vc}"
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its buffer once, whole, with its turn, in order",
        claim=partial(_order, place=(port, vc)),
        given=partial(_head, place=(port, vc)),
        lemmas=(INJECTION, LEVELS, GRANTS),
    )
