"""Judgement of packets that nodes have taken whole, and of the end of a run."""

from collections.abc import Iterable, Sequence

from ..model.record import TakenBeat
from . import faults
from .expected import Expected
from .faults import Arrival
from .losses import settle, take_cut
from .mismatch import Mismatch
from .sent_packet import SentPacket


def take(expected: Expected, arrival: Arrival) -> SentPacket:
    """Packet that arrived, which is due no more.

    Raises
    ------
    Mismatch
        It is not a packet that must come to this node now.
    """
    facts, node = expected.facts, arrival.node
    if arrival.user & facts.lost_flag:
        return take_cut(expected, arrival)
    key = facts.key(facts.node_at.get(arrival.tid), arrival.contents)
    fate = expected.due.fate(key, node)
    if fate.name != "delivered":
        raise faults.WRONG[fate.name](expected, arrival, fate.packets)
    packet = expected.chosen(fate.packets, node, arrival.user)
    if packet.user != arrival.user:
        raise faults.wrong_user(facts, packet, arrival)
    before = expected.before(packet, node)
    if before is not None:
        raise faults.overtaken(facts, packet, before, arrival)
    expected.deliver(packet, node)
    return packet


def unfinished(expected: Expected, begun: Iterable[Sequence[TakenBeat]]) -> Mismatch | None:
    """What is wrong at the end of a run: something is missing, or was begun and not ended."""
    for beats in begun:
        return faults.endless(expected.facts, beats)
    settle(expected)
    left = expected.due.left()
    if left:
        return faults.lost(expected, left)
    for node, packets in sorted(expected.refusals.items()):
        if packets:
            return faults.not_refused(expected.facts, packets[0], node)
    return None
