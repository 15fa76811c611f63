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
