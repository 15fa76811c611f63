"""Latency of a packet that has the network to itself, on average over a traffic pattern."""

from typing import Any

import numpy as np
from knotwork.network import Network

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packet_table import packet_table
from .channel_load import ChannelLoad, destination_shares


def zero_load_latency(network: Network, traffic: Traffic, load: ChannelLoad | None) -> float | None:
    """Clocks from a packet's creation to its last flit's ejection where nothing else is sent.

    Packet routers take ``pipeline * (hops + 1)`` clocks for a head, 1 a hop where they deflect, and
    one more for each flit that follows. In a network of circuits the golden model tells, for a pair
    on each level. Bubbles and stalls are left out. None where the mean number of hops is not known.
    """
    lengths = traffic.length or (1, 1)
    if load is None:
        return None
    if network.router_class == "circuit":
        return round(float(np.mean([_of_circuits(network, traffic, n) for n in lengths])), 4)
    head = network.cycles_per_hop * (load.average_hops + 1)
    return round(head + (lengths[0] + lengths[1]) / 2 - 1, 4)


def _of_circuits(network: Network, traffic: Traffic, length: int) -> float:
    """Latency of packets of one length; by symmetry it is the level's of which two nodes meet."""
    topology: Any = network.topology
    shares, pairs = np.zeros(topology.levels), {}
    for node, destinations, parts in destination_shares(topology, traffic):
        meets = topology.lca_level(np.full(len(destinations), node), destinations)
        np.add.at(shares, meets, parts / topology.nodes)
        for level in np.unique(meets[parts > 0]).tolist():
            chosen = destinations[(meets == level) & (parts > 0)][0]
            pairs.setdefault(level, (node, int(chosen)))
    total = 0.0
    for level, (source, destination) in pairs.items():
        packets = packet_table(
            network,
            source=np.array([source]),
            destination=np.array([destination]),
            length=np.array([length]),
            time=np.array([0]),
            seed=traffic.seed,
        )
        log = run_log(network, Traffic(), packets).log
        total += float(shares[level]) * int(log.clock[-1])
    return total
