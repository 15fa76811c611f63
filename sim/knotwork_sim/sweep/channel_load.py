"""Ideal throughput from the channel loads of a traffic, and the latency at zero load."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from knotwork.network import Network
from knotwork.routing.circuits import circuit_clocks
from knotwork.routing.walks.loads import DestinationShares, walked_loads
from knotwork.topology import Banyan, LeastCommonAncestor, Topology

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packets import packet_lengths, packet_table
from ..traffic.patterns import make_law, node_weights

PAIR_LIMIT = 2**25
"""Pairs of nodes up to which the paths of all packets are walked."""


@dataclass(frozen=True)
class ChannelLoad:
    """Expected load of a network's channels if every node offers one flit per cycle.

    Members
    -------
    largest : float
        Flits per cycle on the fullest channel, injection and ejection included; where buffers hold
        less than a round of credits, as a share of what a link can carry.
    average_hops : float
        Hops per packet, on average over the pattern.
    average_delay : float
        Cycles per packet on the links beyond one for each hop.
    """

    largest: float
    average_hops: float
    average_delay: float = 0.0

    @property
    def ideal_throughput(self) -> float:
        """Flits per node per cycle at which that channel is full, at most 1."""
        return round(min(1.0, 1.0 / self.largest), 9)  # sums of shares are not exact


def traffic_seed(traffic: Traffic) -> np.random.Generator:
    """Generator that draws the random permutation of a sweep, the same one at every point."""
    return np.random.default_rng([traffic.seed, 5])


def destination_shares(topology: Topology, traffic: Traffic) -> Iterator[DestinationShares]:
    """Destinations of every node's packets under a traffic pattern."""
    law = make_law(topology, traffic, traffic_seed(traffic))
    weights = node_weights(topology, traffic)
    for node in range(topology.nodes):
        destinations, shares = law.shares(node)
        yield DestinationShares(
            node, destinations, shares if weights is None else shares * weights[node]
        )


def channel_load(network: Network, traffic: Traffic) -> ChannelLoad | None:
    """Load by the paths of all pairs; None where there are more than `PAIR_LIMIT`.

    Packets take the paths of `Routing.rule`, never an escape path. In a network that works in
    network cycles the unit is a packet per network cycle: see `ideal_throughput`.
    """
    topology = network.topology
    if make_law(topology, traffic, traffic_seed(traffic)).pairs > PAIR_LIMIT:
        return None
    tree = network.routing.level_tree
    if tree is not None:
        return _load_of_levels(tree, traffic)
    if not topology.is_direct:
        return _load_one_way(Banyan.of(topology), traffic)
    loads = walked_loads(network.routing, destination_shares(topology, traffic))
    latency = topology.link_latency
    delay = 0.0 if latency is None else float((loads.links * (latency - 1)).sum())
    largest = loads.fullest(network.link_capacity)
    return ChannelLoad(largest, loads.hops / topology.nodes, delay / topology.nodes)


def _load_of_levels(topology: LeastCommonAncestor, traffic: Traffic) -> ChannelLoad:
    """Load if the switches spread packets evenly over the wires above a prefix."""
    levels = range(topology.levels - 1)
    # Nodes' own links first: a node sends over one of them at a time.
    up, down = np.zeros((2, topology.levels, topology.copies, topology.nodes))
    hops = 0.0
    for node, destinations, shares in destination_shares(topology, traffic):
        sources = np.full(len(destinations), node)
        meets = topology.lca_level(sources, destinations)
        nearest = topology.nearest_copy(sources, destinations)
        hops += float(2 * meets @ shares)
        up[0][0, node] += shares.sum()
        np.add.at(down[0][0], destinations, shares)
        for copy, level in product(range(topology.copies), levels):
            crossing = (meets > level) & (nearest == copy)
            part = shares[crossing] / topology.capacities[level]
            beyond = topology.position_in_copy(copy, destinations[crossing])
            up[level + 1][copy, topology.prefix(topology.position_in_copy(copy, node), level)] += (
                part.sum()
            )
            np.add.at(down[level + 1][copy], topology.prefix(beyond, level), part)
    return ChannelLoad(float(max(up.max(), down.max())), hops / topology.nodes)


def _load_one_way(topology: Banyan, traffic: Traffic) -> ChannelLoad:
    """Load if every pair of a PE and a terminal has one path."""
    levels = range(topology.levels)
    up = [np.zeros((size, topology.u)) for size in topology.level_sizes]
    down = [np.zeros((size, topology.d)) for size in topology.level_sizes]
    busiest = 0.0
    for node, destinations, shares in destination_shares(topology, traffic):
        busiest = max(busiest, float(shares.sum()))
        if node < topology.pes:
            switch = np.full(len(destinations), node // topology.d)
            for level in levels:
                k = topology.upper_to(destinations - topology.pes, level)
                np.add.at(up[level], (switch, k), shares)
                switch = switch if level == levels[-1] else topology.up(level, switch, k)[0]
            continue
        switch = np.full(len(destinations), (node - topology.pes) // topology.u)
        for level in reversed(levels):
            c = topology.digit(destinations, level)
            np.add.at(down[level], (switch, c), shares)
            switch = topology.down(level, switch, c)[0]
    largest = max(busiest, *(float(load.max()) for load in (*up, *down)))
    return ChannelLoad(largest, float(topology.levels - 1))


def ideal_throughput(network: Network, traffic: Traffic, load: ChannelLoad | None) -> float | None:
    """Flits per node per cycle that the fullest channel allows, at most 1; None if not known.

    A network that works in network cycles carries at most one packet per node in each of them,
    whatever the packet's length. Where they end early, none ends before its own circuits do.
    """
    if load is None:
        return None
    _, longest = packet_lengths(network)
    cycles = network.routing.network_cycle(longest)
    if cycles is None:
        return load.ideal_throughput
    length = sum(traffic.length or (1, 1)) / 2
    mean: float = cycles
    if network.hardware.ends_early:  # a node's own packets take as long, on average
        mean = circuit_clocks(load.average_hops, length)
    return round(load.ideal_throughput * length / mean, 9)


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
