"""Packets of a simulation: what sources give, what nodes are to get, and a multicast's copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.multicast import copies_of, is_sendable
from knotwork.topology import Topology

from .jump_tables import Loading

EVERYONE = -2
"""Destination of a broadcast."""


@dataclass(frozen=True)
class Packets:
    """Packets of a simulation, ordered by source and then by time.

    Members
    -------
    source, destination : ndarray
        Nodes, int64. A destination of -1 is none: a multicast, or an address that is no node;
        `EVERYONE` all other nodes.
    length : ndarray
        Beats that the source gives, int64; those of a multicast's chain are the first.
    time : ndarray
        Clock from which the source offers it, int64; rising at each source.
    virtual_channel : ndarray
        Channel in which it starts, int64.
    user : ndarray
        What the source says beside the destination, int64: 1 for a multicast or a broadcast, the
        number of the upper to take on each level where nodes say the way.
    broadcast : ndarray
        Whether it is marked as a broadcast, bool; its destination is `EVERYONE`, or -1 where it is
        too long.
    first_packet : ndarray
        Index of each node's first packet, and the total, int64 of shape (nodes + 1).
    chains : dict
        Addresses of each multicast's chain, by the packet's index.
    members : dict
        Nodes to which each multicast that is not refused goes.
    loadings : tuple of Loading
        Jump tables for a network of batches.
    up_words : ndarray or None
        Number of the upper that each packet takes, by level, int64 of shape (packets, levels - 1),
        where nodes say the way.
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
        marks = self.destination == -1
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
        """Beats that the nodes are to get of each packet, all its copies together, int64."""
        copies = np.ones(len(self), np.int64)
        for number, nodes in self.members.items():
            copies[number] = len(nodes)
        copies[self.destination == EVERYONE] = len(self.first_packet) - 2
        return np.where(self.refused, 0, (self.length - self.chain_length) * copies)

    def deliveries(self) -> list[tuple[int, int]]:
        """Packet and node of every delivery that is due, in the packets' order."""
        found, nodes = [], range(len(self.first_packet) - 1)
        for number, destination in enumerate(self.destination.tolist()):
            if destination == EVERYONE:
                source = int(self.source[number])
                found += [(number, node) for node in nodes if node != source]
            elif not self.refused[number]:
                ends = self.members[number] if self.multicast[number] else (destination,)
                found += [(number, node) for node in ends]
        return found

    def words(self, width: int) -> np.ndarray:
        """Contents of every beat: uint64 of shape (beats, ceil(width / 64)), low word first."""
        count = int(self.first_flit[-1])
        rng = np.random.default_rng([self.seed, 2])
        words = rng.integers(0, 2**64, (count, -(-width // 64)), np.uint64)
        if width % 64:
            words[:, -1] &= np.uint64((1 << width % 64) - 1)
        for number, chain in self.chains.items():
            first, taken = self.first_flit[number], min(len(chain), int(self.length[number]))
            words[first : first + taken] = 0
            words[first : first + taken, 0] = chain[:taken]
        return words


def address_codes(network: Network, packets: Packets) -> np.ndarray:
    """What the sources say as each packet's address, int64.

    Of a multicast the number of its destinations, of a broadcast, where it is not read, anything.
    What is refused for its length goes to a node, the rest by turns to each address of none.
    """
    topology, (least, most) = network.topology, packet_lengths(network)
    codes = np.array([topology.address(node) for node in range(topology.nodes)], np.int64)
    unused = np.array(topology.unused_addresses or [0], np.int64)
    nowhere = packets.refused & (packets.length >= least) & (packets.length <= most)
    nowhere &= ~(packets.broadcast | packets.multicast)
    turn = np.cumsum(nowhere) - 1
    said = np.where(nowhere, unused[turn % len(unused)], codes[packets.destination])
    rng = np.random.default_rng([packets.seed, 3])
    anything = rng.integers(0, 1 << topology.address_width, len(packets))
    said = np.where(packets.broadcast, anything, said)
    return np.where(packets.multicast, packets.chain_length, said)


def packet_table(
    network: Network,
    *,
    source: np.ndarray,
    destination: np.ndarray,
    length: np.ndarray,
    time: np.ndarray,
    seed: int,
    broadcast: np.ndarray | None = None,
    chains: Mapping[int, Sequence[int]] | None = None,
    loadings: Sequence[Loading] = (),
    up_words: np.ndarray | None = None,
) -> Packets:
    """Packets in the given order, which must be by source and then by time.

    Parameters
    ----------
    length : ndarray
        Flits of data.
    broadcast : ndarray or None
        Which packets go to all other nodes, whatever their destination, bool.
    chains : mapping or None
        Addresses of the multicasts' destinations, by index, as the sources list them; a wrong list
        makes a packet that the network refuses.
    loadings : sequence of Loading
        Jump tables for a network of batches.
    """
    topology, routing = network.topology, network.routing
    codes = np.array([topology.address(node) for node in range(topology.nodes)], np.int64)
    if broadcast is None:
        broadcast = np.zeros(len(source), np.bool_)
    destination = np.where(broadcast, source, destination)
    lanes = np.zeros(len(source), np.int64)
    if routing.lanes > 1:
        named = destination >= 0
        lanes[named] = _lanes(codes[source[named]], codes[destination[named]], routing.lanes)
    chains = dict(chains or {})
    length, destination = length.astype(np.int64), destination.astype(np.int64)
    destination[list(chains)] = -1
    least, most = packet_lengths(network)
    if not chains:  # those of multicasts have rules of their own
        destination[(length < least) | (length > most)] = -1
    if broadcast.any():
        longest = network.routing.options.max_packet
        destination[broadcast] = np.where(length[broadcast] > longest, -1, EVERYONE)
    members = {}
    for number, chain in chains.items():
        length[number] += len(chain)
        if is_sendable(routing, int(source[number]), chain, int(length[number])):
            members[number] = _nodes(topology, chain)
    return Packets(
        source=source.astype(np.int64),
        destination=destination,
        length=length,
        time=time.astype(np.int64),
        virtual_channel=lanes * routing.classes,
        user=_user(network, len(source), chains, up_words) | broadcast,
        broadcast=broadcast,
        first_packet=np.searchsorted(source, np.arange(topology.nodes + 1)),
        chains=chains,
        members=members,
        seed=seed,
        loadings=tuple(loadings),
        up_words=up_words,
    )


def _lanes(source: np.ndarray, destination: np.ndarray, lanes: int) -> np.ndarray:
    """`routing.lane` of many flows at once: addresses that have run out add nothing."""
    result = np.zeros_like(source)
    while (source | destination).any():
        turned = (source << 1 | source >> 3 & 1) & 15
        result ^= turned ^ destination & 15
        source, destination = source >> 4, destination >> 4
    return result % lanes


def _user(
    network: Network, count: int, chains: Mapping[int, Sequence[int]], up_words: np.ndarray | None
) -> np.ndarray:
    """Value of `tuser` on each packet's first beat."""
    user = np.zeros(count, np.int64)
    user[list(chains)] = 1
    place = 0
    for level, uppers in enumerate(network.routing.word_layout.values()):
        if up_words is not None:
            user |= np.maximum(up_words[:, level], 0) << place  # -1: it does not go up from there
        place += (len(uppers) - 1).bit_length()
    return user


def _nodes(topology: Topology, chain: Sequence[int]) -> list[int]:
    found = [topology.node_at(address) for address in chain]
    return [node for node in found if node is not None]


def packet_lengths(network: Network) -> tuple[int, int]:
    """Least and greatest number of beats of the packets that a network takes."""
    if isinstance(network.routing, BatchRouting):
        return (network.hardware.words,) * 2
    return 1, getattr(network.hardware, "max_packet", None) or 2**31


@dataclass(frozen=True)
class Copies:
    """Packets as they travel: all packets by their index, then the copies that stores send.

    Members
    -------
    origin : ndarray
        Packet that it is a copy of, int64.
    destination : ndarray
        Node, int64; -1 for what does not travel itself.
    chain : ndarray
        Flits of its chain, int64.
    length : ndarray
        Flits, int64.
    virtual_channel : ndarray
        Channel in which it starts, int64.
    first, count : ndarray
        Copies that are sent from it, int64: they follow each other in the order of sending.
    """

    origin: np.ndarray
    destination: np.ndarray
    chain: np.ndarray
    length: np.ndarray
    virtual_channel: np.ndarray
    first: np.ndarray
    count: np.ndarray


def make_copies(packets: Packets) -> Copies:
    """Work out every copy of every multicast."""
    count = len(packets)
    data = packets.length - packets.chain_length
    first, sent = {}, {}
    rows: list[tuple[int, int, int, int, int]] = []
    waiting = [(number, number, members) for number, members in packets.members.items()]
    for origin, number, chain in waiting:  # grows as copies are found that are sent on
        first[number] = count + len(rows)
        for destination, rest in copies_of(chain):
            if rest:
                waiting.append((origin, count + len(rows), rest))
            # The class is the rounds that it takes to reach the rest.
            length = len(rest) + int(data[origin])
            rows.append((origin, destination, len(rest), length, len(rest).bit_length()))
        sent[number] = count + len(rows) - first[number]
    more = np.array(rows, np.int64).reshape(-1, 5)
    total = count + len(more)
    return Copies(
        origin=np.concatenate([np.arange(count), more[:, 0]]),
        destination=np.concatenate([packets.destination, more[:, 1]]),
        chain=np.concatenate([packets.chain_length, more[:, 2]]),
        length=np.concatenate([packets.length, more[:, 3]]),
        virtual_channel=np.concatenate([packets.virtual_channel, more[:, 4]]),
        first=_scattered(first, total),
        count=_scattered(sent, total),
    )


def _scattered(values: dict[int, int], size: int) -> np.ndarray:
    """Array with these values at these places, else 0."""
    result = np.zeros(size, np.int64)
    result[list(values)] = list(values.values())
    return result
