"""Packets of every kind that a network knows, among them some that it must refuse."""

import numpy as np
from knotwork.network import Network

from .packet_table import packet_table
from .packets import ANY_LENGTH, EVERYONE, NOWHERE, Packets, packet_lengths

_LONG = 64
"""Beats that a short run has room for: no packet is sent that is refused for more of them."""


def hostile_packets(network: Network, *, flits: int, seed: int) -> Packets:
    """Packets of a network that takes them at any time, all offered at once.

    Every node sends at least so many flits, to any node. First, after one packet that must arrive,
    it sends those that must be refused: to an address that no node has, with too few beats, or with
    too many.
    """
    nodes, (least, most) = network.topology.nodes, packet_lengths(network)
    rng = np.random.default_rng([seed, 5])
    first = [(0, least), *_refused(network), *_broadcasts(network)]
    longest = min(most, least + 3)
    count = len(first) + -(-flits // least)
    destination = np.zeros((nodes, count), np.int64)
    length = rng.integers(least, longest + 1, (nodes, count))
    for node in range(nodes):
        receivers = network.topology.receivers(node)
        destination[node] = rng.choice(receivers, count)
        for place, (special, beats) in enumerate(first):
            length[node, place] = beats
            if special < 0:
                destination[node, place] = special
    return packet_table(
        network,
        source=np.repeat(np.arange(nodes), count),
        destination=destination.ravel(),
        length=length.ravel(),
        time=np.zeros(nodes * count, np.int64),
        seed=seed,
    )


def _refused(network: Network) -> list[tuple[int, int]]:
    """Destination, `NOWHERE` or any node, and beats of packets that the network must refuse."""
    least, most = packet_lengths(network)
    found = []
    if network.topology.unused_addresses or len(network.topology.sides) > 1:
        found.append((NOWHERE, least))
    if least > 1:
        found.append((0, least - 1))
    if most < min(_LONG, ANY_LENGTH):
        found.append((0, most + 1))
    return found


def _broadcasts(network: Network) -> list[tuple[int, int]]:
    """The same of broadcasts: one that arrives, and one that is too long."""
    if not network.has_broadcast:
        return []
    most = network.longest_copied_packet
    return [(EVERYONE, min(most, 2)), *([(EVERYONE, most + 1)] if most < _LONG else [])]
