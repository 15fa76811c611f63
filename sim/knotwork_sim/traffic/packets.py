"""Packets of a simulation: what each source sends, and what each node must receive."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from knotwork.network import Network

from .jump_tables import Loading

EVERYONE = -2
"""Destination of a broadcast."""

NOWHERE = -1
"""Destination of a packet that goes to no node: a multicast, whose chain says where it goes, or one
that the network must refuse."""

ANY_LENGTH = 2**31
"""More beats than any packet has: the limit of a network that takes packets of any length."""


NEVER = 2**62
"""Time of what no node has done before the run: a reply, a beat that is not offered."""


class Replies(NamedTuple):
    """Replies of a run: a flow's k-th request to arrive calls forth its k-th reply.

    A flow is all requests from one node to another.

    Members
    -------
    flow : ndarray
        Flow of each request, by packet, int64; -1 for a reply.
    first, end : ndarray
        First reply of each flow, and the end of its replies, int64.
    request : ndarray
        By packet, for the k-th reply of a flow its k-th request, int64; -1 for a request.
    service : ndarray
        By packet, cycles from a request's arrival to its reply, int64; 0 for a request.
    """

    flow: np.ndarray
    first: np.ndarray
    end: np.ndarray
    request: np.ndarray
    service: np.ndarray


class Observed(NamedTuple):
    """Cycles in which beats were offered and taken at the ports of a network, from a reset on.

    Members
    -------
    first_flit : ndarray
        First beat of each packet, int64.
    offers : ndarray
        Cycle from which its source offered each beat, int64, `NEVER` if it has not.
    takes : ndarray
        Whether each node was ready to take a beat, bool of shape (cycles, nodes).
    """

    first_flit: np.ndarray
    offers: np.ndarray
    takes: np.ndarray

    @classmethod
    def nothing(cls) -> Self:
        """Nothing observed."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0), np.bool_))


@dataclass(frozen=True)
class Packets:
    """Packets of a simulation, ordered by source and then by time.

    Members
    -------
    source, destination : ndarray
        Nodes, int64; a destination may be `EVERYONE` or `NOWHERE`.
    length : ndarray
        Beats that the source sends, int64; a multicast's chain comes first.
    time : ndarray
        Cycle from which the source offers the packet, int64; rising at each source.
    virtual_channel : ndarray
        Virtual channel in which the packet starts, int64.
    user : ndarray
        `tuser` of the first beat, int64: 1 for a multicast or a broadcast; where packets name their
        own path, the number of the upper to take on each level.
    broadcast : ndarray
        Whether it is marked as a broadcast, bool; its destination is `EVERYONE`, or `NOWHERE` if it
        is too long.
    first_packet : ndarray
        Index of each node's first packet, and the total, int64 of shape (nodes + 1).
    chains : dict
        Addresses of each multicast's chain, by the packet's index.
    members : dict
        Nodes to which each multicast that is not refused goes.
    loadings : tuple of Loading
        Jump tables for a batch network.
    up_words : ndarray or None
        Number of the upper that each packet takes on each level, int64 of shape (packets,
        levels - 1), where packets name their own path.
    replies : Replies or None
        Which packets are replies, where there are any; they follow the requests of their source.
    observed : Observed or None
        When beats were offered and taken, where the traffic's pauses do not say it.
    traffic_classes : int
        Classes of traffic: a broadcast goes to the nodes of its source's.
    """

    source: np.ndarray
    destination: np.ndarray
    length: np.ndarray
    time: np.ndarray
    virtual_channel: np.ndarray
    user: np.ndarray
    broadcast: np.ndarray
    first_packet: np.ndarray
    chains: dict[int, Sequence[int]]
    members: dict[int, Sequence[int]]
    seed: int
    loadings: tuple[Loading, ...] = ()
    up_words: np.ndarray | None = None
    replies: Replies | None = None
    observed: Observed | None = None
    traffic_classes: int = 1

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def first_flit(self) -> np.ndarray:
        """Number of each packet's first beat, and the total, int64."""
        return np.concatenate([[0], np.cumsum(self.length)])

    @cached_property
    def multicast(self) -> np.ndarray:
        """Whether each packet has a chain, bool."""
        marks = np.zeros(len(self), np.bool_)
        marks[list(self.chains)] = True
        return marks

    @cached_property
    def refused(self) -> np.ndarray:
        """Whether the network must refuse each packet, bool."""
        marks = self.destination == NOWHERE
        marks[list(self.members)] = False
        return marks

    @cached_property
    def chain_length(self) -> np.ndarray:
        """Beats of each packet's chain, int64."""
        lengths = np.zeros(len(self), np.int64)
        for number, chain in self.chains.items():
            lengths[number] = len(chain)
        return lengths

    @cached_property
    def due(self) -> np.ndarray:
        """Beats of each packet that nodes must receive, all its copies together, int64."""
        copies = np.ones(len(self), np.int64)
        for number, nodes in self.members.items():
            copies[number] = len(nodes)
        copies[self.destination == EVERYONE] = self._class_size - 1
        return np.where(self.refused, 0, (self.length - self.chain_length) * copies)

    @property
    def _class_size(self) -> int:
        """Nodes of each class of traffic."""
        return (len(self.first_packet) - 1) // self.traffic_classes

    def deliveries(self) -> list[tuple[int, int]]:
        """Packet and node of every delivery that is due, in the packets' order."""
        found, size = [], self._class_size
        for number, destination in enumerate(self.destination.tolist()):
            if destination == EVERYONE:
                source = int(self.source[number])
                first = source // size * size
                nodes = range(first, first + size)
                found += [(number, node) for node in nodes if node != source]
            elif not self.refused[number]:
                ends = self.members[number] if self.multicast[number] else (destination,)
                found += [(number, node) for node in ends]
        return found

    def words(self, width: int) -> np.ndarray:
        """Payload of every beat: uint64 of shape (beats, ceil(width / 64)), low word first.

        Where there are replies, the lowest bit of a packet's first beat marks them.
        """
        count = int(self.first_flit[-1])
        rng = np.random.default_rng([self.seed, 2])
        words = rng.integers(0, 2**64, (count, -(-width // 64)), np.uint64)
        if width % 64:
            words[:, -1] &= np.uint64((1 << width % 64) - 1)
        if self.replies is not None:
            first = self.first_flit[:-1]
            words[first, 0] &= ~np.uint64(1)
            words[first, 0] |= (self.replies.flow < 0).astype(np.uint64)
        for number, chain in self.chains.items():
            first, taken = self.first_flit[number], min(len(chain), int(self.length[number]))
            words[first : first + taken] = 0
            words[first : first + taken, 0] = chain[:taken]
        return words


def packet_lengths(network: Network) -> tuple[int, int]:
    """Fewest and most beats of the packets to one node that a network takes."""
    return network.shortest_packet, network.longest_packet or ANY_LENGTH
