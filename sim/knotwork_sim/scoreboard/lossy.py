"""Packets that are due, of which a network may lose some."""

from collections import Counter, defaultdict, deque

from .deliveries import Deliveries
from .network_facts import NetworkFacts
from .sent_packet import Kind, SentPacket

Stream = tuple[Kind, int, int]
"""Packets that must stay in order: their kind, their source and their node."""


class Lossy:
    """Packets in the order in which they are due.

    Members
    -------
    facts : NetworkFacts
        The network.
    lost : list of SentPacket
        Packets that are lost.
    reported_lost : Counter of (int, int)
        Packets of a flow that the network reported as lost, not yet identified: they are
        some of the first ones that are due.
    """

    facts: NetworkFacts

    def __init__(self) -> None:
        self.packets: list[SentPacket] = []
        self.due = Deliveries()
        self.lost: list[SentPacket] = []
        self.reported_lost: Counter[tuple[int, int]] = Counter()
        self._order: dict[Stream, deque[int]] = defaultdict(deque)

    def outstanding(self, source: int, node: int) -> list[SentPacket]:
        """Packets of a flow that have not come, nor are known to be lost, the next one first."""
        return [self.packets[number] for number in self._order[Kind.REQUEST, source, node]]

    def lose_first(self, source: int, node: int) -> None:
        """Expect the next packet of a flow no more."""
        packet = self.packets[self._order[Kind.REQUEST, source, node].popleft()]
        self.reported_lost[source, node] -= 1
        self.due.withdraw(self.facts.key(source, packet.contents), packet.number, node)
        self.lost.append(packet)

    @property
    def left(self) -> int:
        """Deliveries that are still due, without those of lost packets."""
        return self.due.number - self.reported_lost.total()
