"""Packets that a network must deliver or refuse, in the order in which it must."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from ..traffic.packets import EVERYONE, NEVER, NOWHERE, Packets, packet_table
from .network_facts import Kind, NetworkFacts, SentPacket

Key = Hashable
"""What a packet is recognised by: its source, where packets carry it, and its data."""


class Fate(NamedTuple):
    """What an arrival is.

    Members
    -------
    name : str
        ``delivered``, ``duplicated``, ``misrouted`` or ``corrupted``, as in `check.score.Score`.
    packets : tuple of int
        Packets that it may be, the earliest first; none if its data is that of no packet.
    """

    name: str
    packets: tuple[int, ...]


class Deliveries:
    """Deliveries that are due, by what their packets are recognised by.

    A packet that goes to several nodes is due at each of them. Where several packets have the same
    narrow data, an arrival may be any of those that are still due at its node.
    """

    def __init__(self) -> None:
        self._due: dict[Key, dict[int, list[int]]] = defaultdict(dict)
        self._gone: dict[Key, dict[int, list[int]]] = {}
        self.number = 0

    def add(self, key: Key, packet: int, node: int) -> None:
        """Expect a packet at a node, after all that were added before it."""
        self._due[key].setdefault(node, []).append(packet)
        self.number += 1

    def fate(self, key: Key, node: int) -> Fate:
        """What an arrival at a node is; nothing changes."""
        due, gone = self._due.get(key, {}), self._gone.get(key, {})
        if due.get(node):
            return Fate("delivered", tuple(due[node]))
        if gone.get(node):
            return Fate("duplicated", tuple(gone[node]))
        others = {packet for nodes in (due, gone) for many in nodes.values() for packet in many}
        return Fate("misrouted" if others else "corrupted", tuple(sorted(others)))

    def deliver(self, key: Key, packet: int, node: int) -> None:
        """Note that a packet has reached a node at which it was due."""
        self.withdraw(key, packet, node)
        self._gone.setdefault(key, {}).setdefault(node, []).append(packet)

    def withdraw(self, key: Key, packet: int, node: int) -> None:
        """Expect a packet at a node no more."""
        self._due[key][node].remove(packet)
        self.number -= 1

    def left(self) -> list[tuple[int, int]]:
        """Packet and node of every delivery that is still due, the earliest packet first."""
        return sorted(
            (packet, node)
            for nodes in self._due.values()
            for node, packets in nodes.items()
            for packet in packets
        )


def contents_of(words: np.ndarray, first: np.ndarray, end: np.ndarray) -> list[bytes]:
    """Data of packets as bytes; the flits of each are rows `first` to `end` of `words`."""
    return [words[a:b].tobytes() for a, b in zip(first.tolist(), end.tolist(), strict=True)]


Stream = tuple[Kind, int, int]
"""Packets that must stay in order: their kind, their source and their node."""


class Expected:
    """What was sent, and what of it is still due.

    Members
    -------
    facts : NetworkFacts
        The network, with what was sent.
    packets : list of SentPacket
        What was sent, by number.
    due : Deliveries
        Packets by node.
    refusals : dict
        Packets that each node must still refuse.
    lost : list of SentPacket
        Packets that are lost, where a network may lose some.
    reported_lost : Counter of (int, int)
        Packets of a flow that the network reported as lost, not yet identified: they are some of
        the first ones that are due.
    """

    def __init__(self, facts: NetworkFacts) -> None:
        self.packets: list[SentPacket] = []
        self.due = Deliveries()
        self.lost: list[SentPacket] = []
        self.reported_lost: Counter[tuple[int, int]] = Counter()
        self._order: dict[Stream, deque[int]] = defaultdict(deque)
        self.facts = replace(facts, sent=self.packets)
        self.refusals: dict[int, deque[SentPacket]] = defaultdict(deque)
        self._loose: set[tuple[int, int]] = set()
        self._in_flow: Counter[tuple[int, int]] = Counter()

    def add(
        self,
        source: int,
        nodes: tuple[int, ...],
        contents: bytes,
        *,
        cycle: int | None = None,
        kind: Kind = Kind.REQUEST,
    ) -> SentPacket:
        """Expect a packet at these nodes, or refused if they are none."""
        number, user = len(self.packets), 0
        if self.facts.sequence_width and nodes:
            flow = source, nodes[0]
            user = self._in_flow[flow] & (1 << self.facts.sequence_width) - 1
            self._in_flow[flow] += 1
        flits = len(contents) // self.facts.beat_bytes
        packet = SentPacket(
            number,
            source,
            nodes,
            kind=kind,
            contents=contents,
            flits=flits,
            cycle=cycle,
            user=user,
        )
        self.packets.append(packet)
        if not nodes:
            self.refusals[source].append(packet)
        key = self.facts.key(source, contents)
        for node in nodes:
            self.due.add(key, number, node)
            stream = self._stream(packet, node)
            if stream is not None:
                self._order[stream].append(number)
        return packet

    def add_again(self, packets: Iterable[SentPacket]) -> None:
        """Expect packets that another scoreboard expected."""
        for packet in packets:
            self.add(
                packet.source,
                packet.nodes,
                packet.contents,
                cycle=packet.cycle,
                kind=packet.kind,
            )
            self.packets[-1] = packet

    def add_all(self, packets: Packets) -> None:
        """Expect all packets of a run."""
        ends, words = packets.first_flit, packets.words(self.facts.width)
        contents = contents_of(words, ends[:-1] + packets.chain_length, ends[1:])
        nodes: dict[int, list[int]] = defaultdict(list)
        for number, node in packets.deliveries():
            nodes[number].append(node)
        columns = packets.source.tolist(), packets.time.tolist(), _kinds(packets)
        for number, (source, time, kind) in enumerate(zip(*columns, strict=True)):
            self.add(
                source,
                tuple(nodes.get(number, ())),
                contents[number],
                cycle=time if time < NEVER else None,
                kind=kind,
            )

    def upset(self, packet: SentPacket, bit: int) -> SentPacket:
        """Expect a packet to one node with a bit of its first flit flipped, and `tuser` 1."""
        (node,), size = packet.nodes, self.facts.beat_bytes
        first = (packet.data(0) ^ 1 << bit).to_bytes(size, "little")
        changed = packet._replace(contents=first + packet.contents[size:], user=1)
        old, new = (self.facts.key(packet.source, each.contents) for each in (packet, changed))
        self.due.withdraw(old, packet.number, node)
        self.due.add(new, packet.number, node)
        self.packets[packet.number] = changed
        return changed

    def chosen(self, numbers: Sequence[int], node: int, user: int) -> SentPacket:
        """Packet that an arrival is, of those with its data: the next one in order if there is."""
        packets = [self.packets[number] for number in numbers]
        if len(packets) == 1:
            return packets[0]
        fitting = [packet for packet in packets if packet.user == user] or packets
        first = [packet for packet in fitting if self.before(packet, node) is None] or fitting
        if len(first) > 1:  # equal data: which of them it is, nobody can tell
            self._loose |= {(packet.source, node) for packet in first}
        return first[0]

    def before(self, packet: SentPacket, node: int) -> SentPacket | None:
        """Packet that a node must get before this one, if any."""
        stream = self._stream(packet, node)
        if stream is None or (packet.source, node) in self._loose:
            return None
        while self._order[stream][0] != packet.number and self.reported_lost[packet.source, node]:
            self.lose_first(packet.source, node)
        first = self._order[stream][0]
        return None if first == packet.number else self.packets[first]

    @property
    def is_settled(self) -> bool:
        """Whether every packet has come, was refused, or was reported as lost."""
        return not (self.due.number - self.reported_lost.total() or any(self.refusals.values()))

    def deliver(self, packet: SentPacket, node: int) -> None:
        """Note that a packet has reached a node at which it was due."""
        stream = self._stream(packet, node)
        if stream is not None:
            self._order[stream].remove(packet.number)
        self.due.deliver(self.facts.key(packet.source, packet.contents), packet.number, node)

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

    def _stream(self, packet: SentPacket, node: int) -> Stream | None:
        """Stream of a packet; None where it may overtake and be overtaken."""
        in_order = packet.kind is not Kind.MULTICAST and self.facts.in_order
        if in_order or packet.kind is Kind.BROADCAST:
            return packet.kind, packet.source, node
        return None


def _kinds(packets: Packets) -> list[Kind]:
    """What each packet of a run is."""
    kinds = [Kind.BROADCAST if everyone else Kind.REQUEST for everyone in packets.broadcast]
    for number in packets.chains:
        kinds[number] = Kind.MULTICAST
    if packets.replies is not None:
        for number in np.flatnonzero(packets.replies.request >= 0).tolist():
            kinds[number] = Kind.REPLY
    return kinds


def send(
    expected: Expected,
    source: int,
    to: int | Sequence[int] | None,
    data: Sequence[int],
    cycle: int | None,
) -> SentPacket:
    """Expect a packet that a node sends; see `Scoreboard.sent`."""
    facts, network = expected.facts, expected.facts.carried.network
    assert network is not None, "a network's classes must be there where packets are sent"
    if to is None:
        kind = Kind.BROADCAST
    else:
        kind = Kind.MULTICAST if isinstance(to, Sequence) else Kind.REQUEST
    return expected.add(
        source,
        nodes_reached(network, source, to, len(data)),
        facts.contents(data),
        cycle=cycle,
        kind=kind,
    )


def nodes_reached(
    network: Network, source: int, to: int | Sequence[int] | None, flits: int
) -> tuple[int, ...]:
    """Nodes that a packet must reach; none if the network must refuse it.

    Parameters
    ----------
    to : int, sequence of int, or None
        Node; nodes of a multicast in the order of its chain; None for a broadcast. A number that is
        no node's stands for an address that no node has.
    flits : int
        Flits of data.
    """
    address, nodes = network.topology.address, network.topology.nodes
    chains: dict[int, list[int]] = {}
    if isinstance(to, Sequence):
        chains, one = {0: [address(node) for node in to]}, NOWHERE
    else:
        one = EVERYONE if to is None else to if 0 <= to < nodes else NOWHERE
    row = packet_table(
        network,
        source=np.array([source]),
        destination=np.array([one]),
        length=np.array([flits]),
        time=np.array([0]),
        seed=0,
        chains=chains,
    )
    return tuple(node for _, node in row.deliveries())
