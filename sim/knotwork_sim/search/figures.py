"""Figures of a graph, its distances and loads, and the bounds that no graph can be below."""

from typing import NamedTuple

import numpy as np
from knotwork.topology.base import pair_ports
from knotwork.topology.metrics import degrees, link_counts

from .improve import FAR, hops, spread


class Figures(NamedTuple):
    """What a graph is worth.

    Members
    -------
    nodes, links : int
        Routers, each with a node, and links between them.
    degree_min, degree_max : int
        Links of a router.
    diameter : int
        Largest distance, hops.
    average_distance : float
        Hops per flit, along shortest paths.
    fullest_channel : float
        Flits per cycle on the fullest channel if every node offers one flit per cycle on average,
        and the flits between two routers are spread evenly over their shortest paths.
    ideal_throughput : float
        Flits per node per cycle at which that channel, or a node's own one, is full; at most 1.
    """

    nodes: int
    links: int
    degree_min: int
    degree_max: int
    diameter: int
    average_distance: float
    fullest_channel: float
    ideal_throughput: float


def channel_numbers(neighbours: np.ndarray, peer_ports: np.ndarray) -> np.ndarray:
    """Number of the channel that leaves by each port, int32; opposite ones differ in bit 0."""
    ports = neighbours.shape[1]
    own = np.arange(neighbours.size).reshape(neighbours.shape)
    other = np.where(neighbours >= 0, neighbours * ports + peer_ports, own)
    _, links = np.unique(np.minimum(own, other), return_inverse=True)
    return (2 * links.reshape(neighbours.shape) + (own > other)).astype(np.int32)


def figures(
    neighbours: np.ndarray, rates: np.ndarray, peer_ports: np.ndarray | None = None
) -> Figures:
    """Figures of a connected graph whose links lead both ways.

    Parameters
    ----------
    neighbours : ndarray
        Router behind each port, (routers, ports); -1 where there is none.
    rates : ndarray
        As for `spread`, one flit per cycle for each node on average; empty where all are alike.
    peer_ports : ndarray or None
        Port at each link's other end; None where no two links have the same ends.

    Raises
    ------
    ValueError
        The graph is not connected.
    """
    table = np.ascontiguousarray(neighbours, np.int32)
    nodes = len(table)
    channels = channel_numbers(table, pair_ports(table) if peer_ports is None else peer_ports)
    loads = np.zeros(int(channels.max()) + 2)
    rooms, room = np.zeros((2, nodes), np.int32), np.zeros((2, nodes))
    total = spread(table, channels, nodes, rates, loads, rooms[0], rooms[1], room[0], room[1])
    if total == FAR:
        raise ValueError("the graph must be connected, not in parts")
    flits = nodes if len(rates) else nodes * (nodes - 1)
    reached = np.zeros((2, nodes, -(-nodes // 64)), np.uint64)
    diameter = hops(table, nodes, reached[0], reached[1], np.inf)[1]
    fullest = float(loads.max()) * nodes / flits
    ends = [float(rates.sum(axis).max()) for axis in (0, 1)] if len(rates) else [1.0]
    busiest = max(fullest, *ends)
    return Figures(
        *(nodes, link_counts(table)[0], *degrees(table), int(diameter)),
        *(total / flits, fullest, round(min(1.0, 1.0 / busiest), 9)),
    )


class Bounds(NamedTuple):
    """Least figures that a graph could have.

    Members
    -------
    diameter : int
        Hops.
    average_distance : float
        Hops per flit.
    fullest_channel : float
        Flits per cycle at one flit per node and cycle, if all channels were filled alike.
    """

    diameter: int
    average_distance: float
    fullest_channel: float


def moore_distances(nodes: int, degree: int) -> np.ndarray:
    """Distances from a router to all others if the paths from it never meet, rising, int64.

    A router has d neighbours, and each router further out at most d - 1 that are further still.
    The last distance has the rest.

    References
    ----------
    Cerf, Cowan, Mullin and Stanton, "A lower bound on the average shortest path length in regular
    graphs", Networks 4, 1974.
    """
    left, ring, distance = nodes - 1, degree, 1
    found: list[int] = []
    while left > 0:
        count = min(ring, left)
        found += [distance] * count
        left, ring, distance = left - count, ring * max(degree - 1, 1), distance + 1
    return np.array(found, np.int64)


def bounds(nodes: int, degree: int, rates: np.ndarray) -> Bounds:
    """Bounds for a graph of one degree.

    Parameters
    ----------
    rates : ndarray
        Flits per cycle between each two routers, float64; empty where all are alike. The routers
        that a router sends most to could be the nearest, and likewise those that send most to it.
    """
    distances = moore_distances(nodes, degree)
    average = float(distances.mean())
    if len(rates):
        others = ~np.eye(nodes, dtype=bool)
        rows = [table[others].reshape(nodes, -1) for table in (rates, rates.T)]
        hops = max(float((-np.sort(-row, axis=1) @ distances).sum()) for row in rows)
        average = hops / float(rates.sum())
    return Bounds(int(distances[-1]), average, average / degree)
