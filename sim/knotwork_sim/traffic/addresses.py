"""Addresses that sources put into the headers of their packets."""

import numpy as np
from knotwork.network import Network
from knotwork.topology import Topology

from .packets import Packets, packet_lengths


def node_addresses(topology: Topology) -> np.ndarray:
    """Address of each node, int64."""
    return np.array([topology.address(node) for node in range(topology.nodes)], np.int64)


def address_codes(network: Network, packets: Packets) -> np.ndarray:
    """`tdest` of each packet, int64.

    A multicast gives the number of its destinations, a broadcast, whose address is not read, any
    number. A packet refused for its length gives the address of a node; the other refused packets
    take the unused addresses in turn; where nodes send to another side only, every second one takes
    the address of its source.
    """
    topology, (least, most) = network.topology, packet_lengths(network)
    codes = node_addresses(topology)
    unused = np.array(topology.unused_addresses or [0], np.int64)
    nowhere = packets.refused & (packets.length >= least) & (packets.length <= most)
    nowhere &= ~(packets.broadcast | packets.multicast)
    turn = np.cumsum(nowhere) - 1
    wrong = unused[turn % len(unused)]
    if len(topology.sides) > 1:  # its own address, which is on its own side, is as wrong
        own = (turn % 2 == 1) | (not topology.unused_addresses)
        wrong = np.where(own, codes[packets.source], wrong)
    said = np.where(nowhere, wrong, codes[packets.destination])
    rng = np.random.default_rng([packets.seed, 3])
    anything = rng.integers(0, 1 << topology.address_width, len(packets))
    said = np.where(packets.broadcast, anything, said)
    return np.where(packets.multicast, packets.chain_length, said)
