"""Packets of a simulation: what each source sends, and what each node must receive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from knotwork.network import Network
from knotwork.routing.multicast import copies_of, is_sendable
from knotwork.topology import Topology

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


class Creations(NamedTuple):
    """Packets that the network knows of at first, in order of their time.

    Members
    -------
    time : ndarray
        Cycle from which each is offered, int64.
    source : ndarray
        Node that offers it, int32.
    """

    time: np.ndarray
    source: np.ndarray


def packets_by_time(packets: Packets) -> Creations:
    """When packets are created, and where: in one order, which the cache can foresee."""
    known = np.count_nonzero(packets.time < NEVER)
    time = packets.time
    if len(time) and time.max() < 1 << 16:
        time = time.astype(np.uint16)  # NumPy sorts short integers by their digits, fast
    order = np.argsort(time, kind="stable")[:known]
    return Creations(packets.time[order], packets.source.astype(np.int32)[order])


def packet_lengths(network: Network) -> tuple[int, int]:
    """Fewest and most beats of the packets to one node that a network takes."""
    return network.shortest_packet, network.longest_packet or ANY_LENGTH


def packet_table(
    network: Network,
    *,
    source: np.ndarray,
    destination: np.ndarray,
    length: np.ndarray,
    time: np.ndarray,
    seed: int,
    chains: Mapping[int, Sequence[int]] | None = None,
    loadings: Sequence[Loading] = (),
    up_words: np.ndarray | None = None,
) -> Packets:
    """Packets in the given order, which must be by source and then by time.

    Parameters
    ----------
    destination : ndarray
        Nodes; `EVERYONE` for a broadcast, `NOWHERE` for an address that no node has.
    length : ndarray
        Flits of data.
    chains : mapping or None
        Addresses of the destinations of each multicast, by the packet's index, in the order in
        which the source lists them; the network refuses a packet with a wrong list.
    loadings : sequence of Loading
        Jump tables for a batch network.
    up_words : ndarray or None
        As `Packets`.
    """
    topology, routing, count = network.topology, network.routing, len(source)
    source, length = source.astype(np.int64), length.astype(np.int64)
    broadcast = destination == EVERYONE
    chains = dict(chains or {})
    sent_to = np.where(broadcast, source, destination)  # decides the lane
    ends = destination.astype(np.int64)
    ends[(ends >= 0) & ~topology.may_send(source, ends)] = NOWHERE
    ends[list(chains)] = NOWHERE
    if not chains:  # multicasts have other rules
        least, most = packet_lengths(network)
        ends[~broadcast & ((length < least) | (length > most))] = NOWHERE
    ends[broadcast & (length > network.longest_copied_packet)] = NOWHERE
    members = {}
    for number, chain in chains.items():
        length[number] += len(chain)
        if is_sendable(routing, int(source[number]), chain, int(length[number])):
            members[number] = _nodes(topology, chain)
    return Packets(
        source=source,
        destination=ends,
        length=length,
        time=time.astype(np.int64),
        virtual_channel=_lanes(network, source, sent_to) * routing.classes,
        user=_user(network, count, chains, up_words) | broadcast,
        broadcast=broadcast,
        first_packet=np.searchsorted(source, np.arange(topology.nodes + 1)),
        chains=chains,
        members=members,
        seed=seed,
        loadings=tuple(loadings),
        up_words=up_words,
        traffic_classes=network.traffic_classes,
    )


def _lanes(network: Network, source: np.ndarray, destination: np.ndarray) -> np.ndarray:
    """Lane of each packet, int64: `Routing.lane_of` of all flows at once."""
    topology, count = network.topology, network.traffic_classes
    if network.routing.lanes == 1:
        return np.zeros(len(source), np.int64)
    codes, to_node = node_addresses(topology), destination >= 0
    bits, share = (count - 1).bit_length(), network.routing.lanes // count
    lanes = (codes[source] & (1 << bits) - 1) * share  # the lowest bits are the class of traffic
    first, last = codes[source[to_node]] >> bits, codes[destination[to_node]] >> bits
    found = np.zeros_like(first)
    while (first | last).any():  # addresses that have run out of bits add nothing
        turned = (first << 1 | first >> 3 & 1) & 15
        found ^= turned ^ last & 15
        first, last = first >> 4, last >> 4
    lanes[to_node] += found % share
    return lanes


def _user(
    network: Network, count: int, chains: Mapping[int, Sequence[int]], up_words: np.ndarray | None
) -> np.ndarray:
    """Value of `tuser` on the first beat of each packet, but for broadcasts."""
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


@dataclass(frozen=True)
class Copies:
    """Packets as they travel: all packets by their index, then the copies that stores send.

    Members
    -------
    origin : ndarray
        Packet that each is a copy of, int64.
    destination : ndarray
        Node, int64; `NOWHERE` for a packet that does not travel itself.
    chain : ndarray
        Flits of the chain, int64.
    length : ndarray
        Flits of the packet, int64.
    virtual_channel : ndarray
        Virtual channel in which it starts, int64.
    first, count : ndarray
        First copy that is sent from it, and how many, int64; copies are in the order of sending.
    """

    origin: np.ndarray
    destination: np.ndarray
    chain: np.ndarray
    length: np.ndarray
    virtual_channel: np.ndarray
    first: np.ndarray
    count: np.ndarray


def make_copies(network: Network, packets: Packets) -> Copies:
    """Work out every copy of every multicast.

    The copy that a node sends is a packet from this node, in the lane of that flow.
    """
    count, routing, address = len(packets), network.routing, network.topology.address
    data = packets.length - packets.chain_length
    first, sent = {}, {}
    rows: list[tuple[int, int, int, int, int]] = []
    sources = packets.source.tolist()
    waiting = [(number, number, sources[number], to) for number, to in packets.members.items()]
    for origin, number, sender, chain in waiting:  # grows with each copy that is sent on
        first[number] = count + len(rows)
        for destination, rest in copies_of(chain):
            if rest:
                waiting.append((origin, count + len(rows), destination, rest))
            length = len(rest) + int(data[origin])
            lane = routing.lane_of(address(sender), address(destination))
            # The class is the number of rounds that reach the rest.
            start = lane * routing.classes + len(rest).bit_length()
            rows.append((origin, destination, len(rest), length, start))
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


def node_addresses(topology: Topology) -> np.ndarray:
    """Address of each node, int64."""
    return np.array([topology.address(node) for node in range(topology.nodes)], np.int64)


def address_codes(network: Network, packets: Packets) -> np.ndarray:
    """`tdest` of each packet, int64.

    A multicast gives the number of its destinations, a broadcast, whose address is not read, any
    number. A packet refused for its length gives the address of a node; the other refused packets
    take the unused addresses in turn; where nodes send to some nodes only, every second one takes
    the address of another one.
    """
    topology, (least, most) = network.topology, packet_lengths(network)
    codes = node_addresses(topology)
    unused = np.array(topology.unused_addresses or [0], np.int64)
    nowhere = packets.refused & (packets.length >= least) & (packets.length <= most)
    nowhere &= ~(packets.broadcast | packets.multicast)
    turn = np.cumsum(nowhere) - 1
    wrong = unused[turn % len(unused)]
    if len(topology.sides) > 1:
        # The address of a node to which the source may not send is as wrong.
        other = (turn % 2 == 1) | (not topology.unused_addresses)
        wrong = np.where(other, codes[_out_of_reach(topology)][packets.source], wrong)
    said = np.where(nowhere, wrong, codes[packets.destination])
    rng = np.random.default_rng([packets.seed, 3])
    anything = rng.integers(0, 1 << topology.address_width, len(packets))
    said = np.where(packets.broadcast, anything, said)
    return np.where(packets.multicast, packets.chain_length, said)


def _out_of_reach(topology: Topology) -> np.ndarray:
    """For each node one to which it may not send, where there are several sides: itself if not."""
    nodes = np.arange(topology.nodes)
    first = np.array([topology.receivers(node).start for node in nodes.tolist()])
    end = np.array([topology.receivers(node).stop for node in nodes.tolist()])
    return np.where(topology.may_send(nodes, nodes), np.where(first > 0, 0, end), nodes)
