"""Properties of a plain router (`gateware.packet.plain`), each after what it rests on.

A flit is followed from its input to its output: it enters as the node sent it (`injection`), takes
the turn of the routing's rule (`route`), is kept by the buffer in its order (`buffers`, `order_*`),
gets its output (`grants`, `ownership`), leaves unchanged (`crossing`), in packets (`wormhole`), as
a stream (`streams`), and in time (`progress`).
"""

from collections.abc import Sequence
from functools import partial

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ..property import Property
from .channels import PassingPacket, Token, header_of
from .node_claims import claim_held_beats, injection_properties
from .plain_harness import PlainChannel, PlainHarness, PlainOutput
from .route_claims import assertions_property, route_property
from .router_harness import LENGTH_BITS

COVERED_FLITS = 4
"""Flits up to which a buffer is shown to fill: the trace that fills a deep one is long."""
_COVERED = 2
"""Requesters up to which the longest wait is shown: the trace for more is long."""


def properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    ports = [port for port in kind.ports if kind.input_vcs(port)]
    orders = [_order_property(network, kind, port) for port in ports]
    base = (*injection_properties(kind), BUFFERS, GRANTS, *orders)
    ownership = Property(
        name="ownership",
        text="an output is kept for a packet from its grant to its tail",
        claim=_claim_ownership,
        lemmas=base,
    )
    base = (*base, ownership)
    crossing = Property(
        name="crossing",
        text="flits leave a buffer and an output together, unchanged, by a turn of the routing",
        claim=_claim_crossing,
        lemmas=base,
    )
    wormhole = Property(
        name="wormhole",
        text="between a packet's head and its tail no other flit uses its output",
        claim=_claim_wormhole,
        lemmas=(*base, crossing),
    )
    streams = Property(
        name="streams",
        text="on m_axis and on links, valid and payload stay until a transfer",
        claim=_claim_streams,
        lemmas=base,
    )
    outputs = [turn.output_port for turn in kind.turns]
    most = max(map(outputs.count, outputs)) - 1
    progress = Property(
        name="progress",
        text=f"a flit that waits is granted its output after at most {most} packets of others, and "
        f"leaves within {most} L + 1 cycles with room behind and a flit to send (L: flits in the "
        "longest packet)",
        claim=_claim_progress,
        lemmas=(*base, crossing, wormhole),
    )
    return [
        route_property(network, kind),
        *base,
        crossing,
        wormhole,
        streams,
        assertions_property(base),
        progress,
    ]


def _claim_buffers(harness: PlainHarness) -> None:
    for channel in harness.inputs.values():
        buffer = channel.buffer
        harness.claim(buffer.is_consistent())
        harness.claim(~buffer.arrives | (buffer.level < buffer.depth))
        harness.claim(~buffer.leaves | (buffer.level > 0))
        harness.claim(buffer.holds_its_flits())
        if any(map(harness.can_happen, channel.turns)):
            harness.cover(buffer.level == min(buffer.depth, COVERED_FLITS))


BUFFERS = Property(
    name="buffers",
    text="no buffer takes a flit without room, or gives one that it does not have",
    claim=_claim_buffers,
)


def _claim_grants(harness: PlainHarness) -> None:
    for output in harness.outputs:
        harness.claim(output.served.any() & is_one_hot_or_zero(output.served))
        harness.claim(is_one_hot_or_zero(output.grant))
        for granted, (_, turn) in zip(output.grant, output.turns, strict=True):
            if harness.can_happen(turn):
                harness.cover(granted)


GRANTS = Property(
    name="grants",
    text="every arbiter grants at most one requester",
    claim=_claim_grants,
)


def _order_property(network: Network, kind: RouterKind, port: int) -> Property:
    """Property of one input."""
    name = network.topology.ports[port]
    return Property(
        name=f"order_{name}",
        text=f"a flit that comes by {name} leaves its buffer once, whole, with its turn, in order",
        claim=partial(_claim_order, port=port),
        guarantee=partial(_claim_head, port=port),
        lemmas=(*injection_properties(kind), BUFFERS, GRANTS),
    )


def _claim_order(harness: PlainHarness, port: int) -> None:
    channel = harness.inputs[port]
    _claim_token(harness, channel)
    if not channel.is_local:
        valid, ready = harness.link(port, "i_valid"), harness.link(port, "i_ready")
        harness.claim(channel.offered == valid)
        harness.claim(channel.arrives == (valid & ready))
        flit = harness.link(port, "i_flit")
        harness.claim(~channel.offered | (channel.entry.flit.as_value() == flit))


class _PlainToken(Token):
    """Any one flit on its way through a buffer.

    Members
    -------
    before, newest : Signal
        Words of the flit that came before it, and of the last one that came.
    """

    def __init__(self, harness: PlainHarness, channel: PlainChannel) -> None:
        m, name, buffer = harness.m, channel.name, channel.buffer
        super().__init__(
            harness, channel, slot=buffer.slot, level=buffer.level, leaves=channel.leaves
        )
        self.before = harness.register(len(buffer.slot), f"before_{name}")
        self.newest = harness.register(len(buffer.slot), f"newest_{name}")
        with m.If(channel.arrives):
            m.d.sync += self.newest.eq(buffer.slot)
        with m.If(~self.inside):
            m.d.sync += self.before.eq(self.newest)


def _claim_token(harness: PlainHarness, channel: PlainChannel) -> None:
    """Claim that any flit stays where it was written, and leaves as it came."""
    token, buffer = _PlainToken(harness, channel), channel.buffer
    expected, inside, ahead = token.expected, token.inside, token.ahead
    found = buffer.at(token.slot, ahead)
    there = (ahead < buffer.level) & buffer.is_at(token.slot, ahead)
    harness.claim(~inside | (there & (found.as_value() == expected.as_value())))
    harness.claim(~inside | (expected.turn.any() & is_one_hot_or_zero(expected.turn)))
    harness.claim(~inside | buffer.header_matches(expected))
    _claim_after_its_packet(harness, channel, token)
    goes = harness.named(inside & (ahead == 0) & channel.leaves, f"goes_{channel.name}")
    harness.claim(~goes | (buffer.head.as_value() == expected.as_value()))
    for number, turn in enumerate(channel.turns):
        if harness.can_happen(turn):
            harness.cover(goes & expected.turn[number] & ~token.first)


def _claim_after_its_packet(
    harness: PlainHarness, channel: PlainChannel, token: _PlainToken
) -> None:
    """Claim that the flit before the token, if of its packet, has its turn and header."""
    came, went, buffer = channel.incoming, channel.outgoing, channel.buffer
    mine = PassingPacket(~token.first, token.expected.turn, header_of(token.expected.flit))
    before = buffer.at(token.before, token.ahead - 1)
    waits = token.inside & (token.ahead != 0)
    harness.claim(~waits | buffer.is_at(token.before, token.ahead - 1))
    harness.claim(~waits | _same(_packet_at(before), mine))
    harness.claim(~token.inside | waits | _same(went, mine))
    newest = buffer.at(token.newest, buffer.level - 1)
    is_empty = buffer.level == 0
    harness.claim(is_empty | buffer.is_at(token.newest, buffer.level - 1))
    harness.claim(Mux(is_empty, _same(came, went), _same(came, _packet_at(newest))))


def _packet_at(entry: data.View) -> PassingPacket:
    return PassingPacket(~entry.flit.last, entry.turn, header_of(entry.flit))


def _same(one: PassingPacket, other: PassingPacket) -> Value:
    """Whether both are between packets, or in one of the same turn and header."""
    alike = (one.turn == other.turn) & (one.header == other.header)
    return (one.open == other.open) & (~one.open | alike)


def _claim_head(harness: PlainHarness, port: int) -> None:
    """Claim of the flit at the head what `order` claims of any flit."""
    channel = harness.inputs[port]
    head, packet = channel.buffer.head, channel.outgoing
    harness.claim(~channel.valid | (head.turn.any() & is_one_hot_or_zero(head.turn)))
    harness.claim(~channel.valid | channel.buffer.header_matches(head))
    alike = (packet.turn == head.turn) & (packet.header == header_of(head.flit))
    harness.claim(~(channel.valid & packet.open) | alike)


def _claim_ownership(harness: PlainHarness) -> None:
    for channel in harness.inputs.values():
        for fact in channel.leaving():
            harness.claim(fact)
    for output in harness.outputs:
        for owns, (channel, turn) in zip(output.owns, output.turns, strict=True):
            # A packet owns the output from its grant on; it is open once its head flit left.
            is_open = channel.departing(turn).open
            harness.claim(~is_open | owns)
            harness.claim(~owns | is_open | channel.requests(turn))
            if harness.can_happen(turn):
                harness.cover(owns)


def _claim_crossing(harness: PlainHarness) -> None:
    for output in harness.outputs:
        sources = output.sources
        harness.claim(is_one_hot_or_zero(sources))
        harness.claim(sources.any() == output.crosses)
        for goes, (channel, turn) in zip(sources, output.turns, strict=True):
            harness.claim(~goes | output.drives(channel.front_flit))
            if harness.can_happen(turn):
                harness.cover(goes)
    for channel in harness.inputs.values():
        goes = Cat(channel.leaves_by(turn) for turn in channel.turns)
        harness.claim(goes.any() == channel.leaves)


def _claim_wormhole(harness: PlainHarness) -> None:
    for output in harness.outputs:
        turns, sources, crosses = output.turns, output.sources, output.crosses
        opened = harness.register(1, f"opened_{output.name}")
        owner = harness.register(len(turns), f"owner_{output.name}")
        with harness.m.If(crosses):
            harness.m.d.sync += [opened.eq(~output.flit.last), owner.eq(sources)]
        harness.claim(~opened | (owner.any() & is_one_hot_or_zero(owner)))
        harness.claim(~(crosses & opened) | (sources == owner))
        if any(harness.can_happen(turn) for _, turn in turns):
            harness.cover(crosses & opened)
        for owns, (channel, turn) in zip(owner, turns, strict=True):
            harness.claim(channel.departing(turn).open == (opened & owns))
        if not output.is_local:
            _claim_one_header(harness, output, opened)


def _claim_one_header(harness: PlainHarness, output: PlainOutput, opened: Value) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    header = header_of(output.flit)
    before = harness.register(len(header), f"before_{output.name}")
    with harness.m.If(output.crosses):
        harness.m.d.sync += before.eq(header)
    harness.claim(~(output.crosses & opened) | (header == before))
    for channel, turn in output.turns:
        packet = channel.departing(turn)
        harness.claim(~packet.open | (packet.header == before))


def _claim_streams(harness: PlainHarness) -> None:
    for output in harness.outputs:
        if output.is_local:
            claim_held_beats(harness, output.port)
            continue
        flit = harness.link(output.port, "o_flit")
        harness.claim_held(output.valid, output.ready, flit, output.name)
        if any(harness.can_happen(turn) for _, turn in output.turns):
            harness.cover(output.valid & ~output.ready)


def _claim_progress(harness: PlainHarness) -> None:
    harness.assume(harness.any_length != 0)
    for output in harness.outputs:
        passed = harness.register(LENGTH_BITS, f"passed_{output.name}")
        longer = passed + 1
        is_last, crosses = output.flit.last, output.crosses
        with harness.m.If(crosses):
            harness.m.d.sync += passed.eq(Mux(is_last, 0, longer))
        harness.assume(~crosses | is_last | (longer < harness.any_length))
        harness.claim(passed < harness.any_length)
        # A packet whose next flit is not here yet holds the output, and no other can leave.
        is_held = harness.named(output.held & ~(output.requests & output.owns).any(), "is_held")
        serves = harness.named((output.requests & output.grant).any(), "serves")
        harness.claim(is_held | ~output.requests.any() | serves)
        harness.claim(~(serves & output.ready) | crosses)
        for number in range(len(output.turns)):
            _claim_wait(harness, output, number, passed=passed, is_held=is_held)


def _claim_wait(
    harness: PlainHarness, output: PlainOutput, number: int, *, passed: Signal, is_held: Signal
) -> None:
    """Claim for how many packets a flit waits, and for how many cycles with room behind."""
    name, most, turns = f"{output.name}_{number}", output.most, output.turns
    requests, goes = output.requests[number], output.sources[number]
    others: Signal = harness.register(range(most + 2), f"others_{name}")
    cycles: Signal = harness.register(range((most + 1) << LENGTH_BITS), f"cycles_{name}")
    waits = requests & ~goes
    more_others = others + (output.crosses & output.flit.last)
    # A cycle counts if there is room and the owner of the output has a flit.
    more_cycles = cycles + (output.ready & ~is_held)
    harness.m.d.sync += [
        others.eq(Mux(waits, more_others, 0)),
        cycles.eq(Mux(waits, more_cycles, 0)),
    ]
    harness.claim(~requests | (others + output.ahead(number) <= most))
    bound: Value = passed
    for more in range(1, most + 1):
        bound = bound + (harness.any_length & (others >= more).replicate(LENGTH_BITS))
    harness.claim(~requests | (cycles <= bound))
    if harness.can_happen(*(turn for _, turn in turns)):
        harness.cover(goes & (others == most if len(turns) <= _COVERED else others != 0))
