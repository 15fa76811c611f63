"""Claims about the packets in a queue: the flits of each have one header and one turn.

With parity any bit of a header may be wrong, and the flits of a packet have one turn nevertheless.
"""

from functools import partial

from amaranth.hdl import Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import RouterKind
from ...property import Property
from ..claims.injection import from_nodes
from ..observed.channel import PassingPacket, header_of
from .copies import claim_copied_packets, claim_shown_copy
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.copy_channel import CopyChannel
from .observed.copy_front import CopyFront
from .queues import QUEUES


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
