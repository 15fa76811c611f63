"""Rows of the answer: graphs that were found, and published networks of about the size."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import numpy as np
from knotwork.topology import TOPOLOGIES, Topology

from .figures import Bounds, Figures, bounds
from .graphs import links_of
from .improve import Aim


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
        told: dict[str, Any] = {"name": self.name, "kind": self.kind, **self.figures._asdict()}
        told["above_bound"] = max(round(self.above(aim), 9), 0.0)
        if self.steps:
            told["steps"] = list(self.steps)
        if len(self.neighbours):
            told |= {"swaps": self.swaps, "rotations": self.rotations}
        return told

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
