"""Packets that a network reports as lost, on links that died under them."""

from . import faults
from .expected import Expected
from .faults import Arrival
from .sent_packet import SentPacket


class Losable:
    """What a scoreboard knows of lost packets."""

    _expected: Expected

    @property
    def losses(self) -> list[SentPacket]:
        """Packets that the network reported as lost, as far as they are identified."""
        return self._expected.lost

    def lost(self, source: int, node: int, cycle: int | None = None) -> None:
        """Check a report by the status that a packet of this flow is lost, whichever it is.

        Raises
        ------
        Mismatch
            All packets of the flow have come, or are lost already.
        """
        expected = self._expected
        if len(expected.outstanding(source, node)) <= expected.reported_lost[source, node]:
            raise faults.wrongly_lost(expected.facts, source, node, cycle)
        expected.reported_lost[source, node] += 1


def take_cut(expected: Expected, arrival: Arrival) -> SentPacket:
    """Packet of which the beginning arrived, with a last beat that tells that the rest is lost.

    Raises
    ------
    Mismatch
        No packet that begins so must come to this node now.
    """
    facts, node = expected.facts, arrival.node
    begun, source = arrival.contents[: -facts.beat_bytes], facts.node_at.get(arrival.tid)
    due = [] if source is None or not begun else expected.outstanding(source, node)
    for place, packet in enumerate(due):
        if place > expected.reported_lost[packet.source, node]:
            break
        if packet.contents.startswith(begun) and len(packet.contents) > len(begun):
            expected.reported_lost[packet.source, node] += 1
            for _ in range(place + 1):
                expected.lose_first(packet.source, node)
            return packet
    raise faults.wrongly_cut(facts, arrival)


def settle(expected: Expected) -> None:
    """At the end of a run, take the first missing packets of each flow for its lost ones."""
    for (source, node), count in list(expected.reported_lost.items()):
        for _ in range(count):
            expected.lose_first(source, node)
