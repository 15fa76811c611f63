"""Rows that a search prints: distances and loads of graphs, and bounds below which none can be."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from knotwork.topology import TOPOLOGIES, Topology
from knotwork.topology.base import pair_ports
from knotwork.topology.metrics import degrees, link_counts

from .improve import FAR, Aim, hops, links_of, spread


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


@dataclass(frozen=True, eq=False)
class Row:
    """Graph or network, as one line of the answer.

    Members
    -------
    name : str
        What it is, or the word that names the network.
    kind : str
        ``circulant``, ``random`` or ``symmetric`` by what it was made from, or ``published``.
    figures : Figures
        Its distances and loads.
    swaps : int
        Swaps of links that were tried.
    rotations : int
        Rotations that are known to map it onto itself, the one by 0 included.
    neighbours : ndarray
        Router behind each port, int32 (routers, degree); empty for networks.
    steps : tuple of int
        Steps of a circulant.
    """

    name: str
    kind: str
    figures: Figures
    swaps: int = 0
    rotations: int = 1
    neighbours: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    steps: tuple[int, ...] = ()

    def bounds(self, rates: np.ndarray) -> Bounds:
        """Least figures of a graph of its size and of its largest degree."""
        return bounds(self.figures.nodes, self.figures.degree_max, rates)

    def merit(self, aim: Aim) -> tuple[float, ...]:
        """What makes it better than others: the lower, the better."""
        distance, load = self.figures.average_distance, self.figures.fullest_channel
        first, second = (load, distance) if aim.is_load else (distance, load)
        return round(first, 9), self.figures.diameter, round(second, 9)

    def above(self, aim: Aim) -> float:
        """Share by which the figure that is lowered exceeds its bound."""
        least, figures = self.bounds(aim.rates), self.figures
        if aim.is_load:
            return figures.fullest_channel / least.fullest_channel - 1
        return figures.average_distance / least.average_distance - 1

    def as_json(self, aim: Aim) -> dict[str, Any]:
        """Fields that ``search --json`` promises."""
        answer: dict[str, Any] = {"name": self.name, "kind": self.kind, **self.figures._asdict()}
        answer["above_bound"] = max(round(self.above(aim), 9), 0.0)
        if self.steps:
            answer["steps"] = list(self.steps)
        if len(self.neighbours):
            answer |= {"swaps": self.swaps, "rotations": self.rotations}
        return answer

    def links(self) -> list[list[int]]:
        """Pairs of routers that are linked, in rising order."""
        return links_of(self.neighbours).tolist()


Parameters = dict[str, int]


def _powers(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    return ({"n": n} for n in range(1, nodes.bit_length() + 1))


def _cycles(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    return ({"n": n} for n in range(2, nodes.bit_length() + 1))


def _clusters(nodes: int, degree: int) -> Iterable[Parameters]:
    near = range(max(degree - 2, 2), min(degree + 2, 16) + 1)  # of degree w
    for w in sorted(near, key=lambda w: (abs(w - degree), -w)):
        levels = (level for level in range(1, 17) if w**level <= 2 * nodes)
        yield from ({"w": w, "levels": level} for level in levels)


def _grid(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    for y in range(isqrt(nodes) + 1, 1, -1):  # the squarest first
        yield from ({"x": x, "y": y} for x in (nodes // y, nodes // y + 1) if 2 <= x <= 1024)


def _box(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    for z in range(round(nodes ** (1 / 3)), 1, -1):  # the most cubic first
        yield from (keys | {"z": z} for keys in _grid(nodes // z, 0) if keys["x"] >= z)


def _petersen_torus(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    sizes = [(k, m) for k in range(1, 17) for m in range(1, k + 1) if 20 * k * m <= nodes]
    pairs = sorted(sizes or [(1, 1)], key=lambda size: size[0] - size[1])
    return ({"k": k, "m": m} for k, m in pairs)


def _ring(nodes: int, degree: int) -> Iterable[Parameters]:
    del degree
    return ({"k": k} for k in (nodes // 10, nodes // 10 + 1) if k >= 1)


def _one(nodes: int, degree: int) -> Iterable[Parameters]:
    del nodes, degree
    return ({},)


SIZES: tuple[tuple[str, Callable[[int, int], Iterable[Parameters]]], ...] = (
    ("hypercube", _powers),
    ("moebius", _powers),
    ("ccc", _cycles),
    ("wk", _clusters),
    ("tcpg", _petersen_torus),
    ("petersen", _one),
    ("rp", _ring),
    ("torus", _grid),
    ("torus", _box),
    ("mesh", _grid),
    ("mesh", _box),
)
"""Networks, and parameters of about a number of nodes and a degree; preferred ones first."""


def nearest(nodes: int, degree: int, *, exactly: bool) -> dict[str, Topology]:
    """Networks by the word that names each: of every kind the one whose size is nearest.

    Parameters
    ----------
    exactly : bool
        Whether only networks of this size count; else those from half to twice the size.
    """
    found: dict[str, Topology] = {}
    for name, sizes in SIZES:
        made = [(keys, TOPOLOGIES[name](**keys)) for keys in sizes(nodes, degree)]
        if not made:
            continue
        keys, topology = min(made, key=lambda one: abs(one[1].nodes - nodes))
        if topology.nodes == nodes or (not exactly and nodes <= 2 * topology.nodes <= 4 * nodes):
            words = ",".join(f"{key}={value}" for key, value in keys.items())
            found[f"{name}:{words}".rstrip(":")] = topology
    return found
