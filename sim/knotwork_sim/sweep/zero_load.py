"""Latency of a packet that has the network to itself, on average over a traffic pattern."""

import numpy as np
from knotwork.network import Network
from knotwork.topology import LeastCommonAncestor

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packets import packet_table
from .channel_load import ChannelLoad, destination_shares


def zero_load_latency(network: Network, traffic: Traffic, load: ChannelLoad | None) -> float | None:
    """Cycles from a packet's creation to its last flit's ejection if nothing else is sent.

    A packet's head takes `Network.cycles_per_hop` cycles for each hop, more on links of a greater
    latency, and `Network.cycles_to_node` to its node; the others follow as
    `Network.cycles_behind_head` says. Where packets go by circuits, the golden model runs one
    packet for each number of hops. Bubbles and stalls are left out. None where the average
    number of hops is not known.
    """
    lengths = traffic.length or (1, 1)
    if load is None:
        return None
    if network.routing.has_network_cycles:
        latencies = [_of_circuits(network, traffic, length) for length in lengths]
        return round(float(np.mean(latencies)), 4)
    head = network.cycles_per_hop * load.average_hops + network.cycles_to_node + load.average_delay
    behind = [network.cycles_behind_head(length) for length in range(lengths[0], lengths[1] + 1)]
    return round(head + sum(behind) / len(behind), 4)


def _of_circuits(network: Network, traffic: Traffic, length: int) -> float:
    """Latency of packets of one length: by symmetry it depends only on their hops."""
    tree = LeastCommonAncestor.of(network.topology)
    shares: dict[int, float] = dict.fromkeys(tree.hop_counts, 0.0)
    pairs: dict[int, tuple[int, int]] = {}
    for node, destinations, parts in destination_shares(tree, traffic):
        distances = tree.distance(np.full(len(destinations), node), destinations)
        for hops in np.unique(distances[parts > 0]).tolist():
            here = (distances == hops) & (parts > 0)
            shares[hops] += float(parts[here].sum()) / tree.nodes
            pairs.setdefault(hops, (node, int(destinations[here][0])))
    total = 0.0
    for hops, (source, destination) in pairs.items():
        packets = packet_table(
            network,
            source=np.array([source]),
            destination=np.array([destination]),
            length=np.array([length]),
            time=np.array([0]),
            seed=traffic.seed,
        )
        log = run_log(network, Traffic(), packets).log
        total += shares[hops] * int(log.clock[-1])
    return total
