# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Expected load of every channel under a traffic pattern, and the throughput that it allows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.compiled.calls import call_rule, kept_on_disk, rule_address
from knotwork.topology import LeastCommonAncestor, Topology

from ..traffic.keys import Traffic
from ..traffic.packets import packet_lengths
from ..traffic.patterns import HOTSPOT_SHARE, fixed_destinations

PAIR_LIMIT = 2**25
"""Pairs of nodes up to which the paths of all packets are walked."""


@dataclass(frozen=True)
class ChannelLoad:
    """Expected load of a network's channels if every node offers one flit per cycle.

    Members
    -------
    largest : float
        Flits per cycle on the fullest channel, injection and ejection included.
    average_hops : float
        Hops per packet, on average over the pattern.
    """

    largest: float
    average_hops: float

    @property
    def ideal_throughput(self) -> float:
        """Flits per node per cycle at which that channel is full, at most 1."""
        return round(min(1.0, 1.0 / self.largest), 9)  # sums of shares are not exact


def traffic_seed(traffic: Traffic) -> np.random.Generator:
    """Generator that draws the random permutation of a sweep, the same one at every point."""
    return np.random.default_rng([traffic.seed, 5])


class DestinationShares(NamedTuple):
    """Destinations of a node's packets.

    Members
    -------
    node : int
        Source of the packets.
    destinations : ndarray
        Nodes, int64.
    shares : ndarray
        Probability of each destination, float64; their sum is 1 if there is any destination.
    """

    node: int
    destinations: np.ndarray
    shares: np.ndarray


def destination_shares(topology: Topology, traffic: Traffic) -> Iterator[DestinationShares]:
    """Destinations of every node's packets under a traffic pattern."""
    nodes = topology.nodes
    fixed = fixed_destinations(topology, traffic, traffic_seed(traffic))
    everyone, certain = np.arange(nodes), np.ones(1)
    for node in range(nodes):
        if fixed is not None:
            yield DestinationShares(node, fixed[node : node + 1].astype(np.int64), certain)
        elif traffic.traffic == "neighbour":
            links = topology.neighbours[node]
            others = links[links >= 0].astype(np.int64)
            shares = np.full(len(others), 1 / max(len(others), 1))
            yield DestinationShares(node, others, shares)
        else:
            shares = np.full(nodes, 1 / max(nodes - 1, 1))
            shares[node] = 0.0 if nodes > 1 else 1.0
            if traffic.traffic == "hotspot":
                shares *= 1 - HOTSPOT_SHARE
                shares[0] += HOTSPOT_SHARE
            yield DestinationShares(node, everyone, shares)


def channel_load(network: Network, traffic: Traffic) -> ChannelLoad | None:
    """Load by the paths of all pairs; None where there are more than `PAIR_LIMIT`.

    Packets take the paths of `Routing.rule`, never an escape path. In a network that works in
    network cycles the unit is a packet per network cycle: see `ideal_throughput`.
    """
    topology = network.topology
    drawn = fixed_destinations(topology, traffic, traffic_seed(traffic)) is None
    if drawn and traffic.traffic != "neighbour" and topology.nodes**2 > PAIR_LIMIT:
        return None
    tree = network.routing.level_tree
    if tree is not None:
        return _load_of_levels(tree, traffic)
    loads = np.zeros(topology.neighbours.shape)
    into = np.zeros(topology.nodes)
    peers = np.ascontiguousarray(topology.peer_ports)
    neighbours = np.ascontiguousarray(topology.neighbours)
    rule, parameters = rule_address(network.routing.rule), network.routing.parameters
    hops = 0.0
    for node, destinations, shares in destination_shares(topology, traffic):
        hops += _walk(rule, parameters, neighbours, peers, node, destinations, shares, loads)
        np.add.at(into, destinations, shares)
    largest = max(1.0, float(into.max()), float(loads.max(initial=0.0)))
    return ChannelLoad(largest, hops / topology.nodes)


@kept_on_disk()
def _walk(rule, parameters, neighbours, peer_ports, source, destinations, shares, loads):
    """Add the load of a source's packets to `loads`; return their average hops."""
    total = 0.0
    for place in range(len(destinations)):
        if shares[place] == 0.0:
            continue
        router, port, vc_class = source, 0, 0
        while True:
            port, vc_class = call_rule(
                rule, parameters.ctypes.data, router, port, vc_class, destinations[place]
            )
            if port == 0:
                break
            loads[router, port] += shares[place]
            total += shares[place]
            router, port = neighbours[router, port], peer_ports[router, port]
    return total


def _load_of_levels(topology: LeastCommonAncestor, traffic: Traffic) -> ChannelLoad:
    """Load if the switches spread packets evenly over the wires above a prefix."""
    levels = range(-1, topology.levels - 1)
    up = [np.zeros(topology.nodes) for _ in levels]
    down = [np.zeros(topology.nodes) for _ in levels]
    hops = 0.0
    for node, destinations, shares in destination_shares(topology, traffic):
        meets = topology.lca_level(np.full(len(destinations), node), destinations)
        hops += float(2 * meets @ shares)
        for place, level in enumerate(levels):
            crossing = meets > level
            capacity = topology.capacities[level] if level >= 0 else 1
            part = shares[crossing] / capacity
            up[place][topology.prefix(node, level)] += part.sum()
            np.add.at(down[place], topology.prefix(destinations[crossing], level), part)
    largest = max(float(loads.max()) for loads in (*up, *down))
    return ChannelLoad(largest, hops / topology.nodes)


def ideal_throughput(network: Network, traffic: Traffic, load: ChannelLoad | None) -> float | None:
    """Flits per node per cycle that the fullest channel allows, at most 1; None if not known.

    A network that works in network cycles carries at most one packet per node in each of them,
    whatever the packet's length.
    """
    if load is None:
        return None
    _, longest = packet_lengths(network)
    cycles = network.routing.network_cycle(longest)
    if cycles is None:
        return load.ideal_throughput
    first, last = traffic.length or (1, 1)
    return round(load.ideal_throughput * (first + last) / 2 / cycles, 9)
