# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Expected load of the channels where every packet of a pair of nodes takes one path."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..compiled.calls import call_rule, kept_on_disk
from ..routing_rule import RoutingRule


class DestinationShares(NamedTuple):
    """Destinations of a node's packets.

    Members
    -------
    node : int
        Source of the packets.
    destinations : ndarray
        Nodes, int64.
    shares : ndarray
        Flits to each destination if the nodes send a flit each on average, float64; their sum is
        1 where all nodes send the same.
    """

    node: int
    destinations: np.ndarray
    shares: np.ndarray


class WalkedLoads(NamedTuple):
    """Load of all channels.

    Members
    -------
    links : ndarray
        Flits on the link behind each port, float64 of shape (routers, ports).
    ejected : ndarray
        Flits that each node receives, float64.
    busiest : float
        Flits that the busiest node sends, at least 1.
    hops : float
        Hops of all flits, added up.
    """

    links: np.ndarray
    ejected: np.ndarray
    busiest: float
    hops: float


def walked_loads(routing: RoutingRule, rows: Iterable[DestinationShares]) -> WalkedLoads:
    """Load by the paths of all pairs; packets take those of `Routing.rule`, never an escape."""
    topology = routing.topology
    links, ejected = np.zeros(topology.neighbours.shape), np.zeros(topology.nodes)
    peers = np.ascontiguousarray(topology.peer_ports)
    neighbours = np.ascontiguousarray(topology.neighbours)
    rule, parameters = routing.compiled_rule
    hops, busiest = 0.0, 1.0
    for node, destinations, shares in rows:
        hops += _walk(
            rule,
            parameters,
            neighbours,
            peers,
            topology.node_ports_table[:, node],
            topology.local_ports,
            destinations,
            shares,
            links,
        )
        np.add.at(ejected, destinations, shares)
        busiest = max(busiest, round(float(shares.sum()), 12))  # sums of shares are not exact
    return WalkedLoads(links, ejected, busiest, hops)


@kept_on_disk(_nrt=False)
def _walk(
    rule, parameters, neighbours, peer_ports, place_of, local_ports, destinations, shares, loads
):
    """Add the load of a source's packets to `loads`; return their average hops."""
    total = 0.0
    for place in range(len(destinations)):
        if shares[place] == 0.0:
            continue
        router, port, vc_class = place_of[0], place_of[1], 0
        while True:
            port, vc_class = call_rule(
                rule, parameters.ctypes.data, router, port, vc_class, destinations[place]
            )
            if port < local_ports:
                break
            loads[router, port] += shares[place]
            total += shares[place]
            router, port = neighbours[router, port], peer_ports[router, port]
    return total
