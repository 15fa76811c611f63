"""Table of packets: what senders want, made into what a network takes, carries or refuses."""

from collections.abc import Mapping, Sequence

import numpy as np
from knotwork.network import Network
from knotwork.routing.multicast import is_sendable
from knotwork.topology import Topology

from .addresses import node_addresses
from .jump_tables import Loading
from .packets import EVERYONE, NOWHERE, Packets, packet_lengths


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
