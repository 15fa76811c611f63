"""Copies of multicasts: what the stores of nodes send on."""

from dataclasses import dataclass

import numpy as np
from knotwork.network import Network
from knotwork.routing.multicast import copies_of

from .packets import Packets


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
