"""Where nodes send their packets: the law of each pattern, from which destinations are drawn."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.messages import named_permutation, tornado
from knotwork.topology import Topology
from knotwork.topology.altered import Classed

from .files import RateMatrix
from .keys import Traffic


class Shares(NamedTuple):
    """Destinations of a node's packets.

    Members
    -------
    destinations : ndarray
        Nodes, int64; one may stand several times.
    shares : ndarray
        Probability of each, float64; their sum is 1 if there is any destination.
    """

    destinations: np.ndarray
    shares: np.ndarray


class Law(ABC):
    """Destinations of all nodes' packets."""

    @property
    @abstractmethod
    def pairs(self) -> int:
        """Pairs of source and destination between which packets may go, at most."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Destinations of packets from these sources, int64."""

    @abstractmethod
    def shares(self, node: int) -> Shares:
        """Destinations of a node's packets."""


class Fixed(Law):
    """Destination of each node, whether or not it is a permutation."""

    def __init__(self, destinations: np.ndarray) -> None:
        self.destinations = destinations

    @property
    def pairs(self) -> int:
        """One per node."""
        return len(self.destinations)

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Destinations of the sources; nothing is drawn."""
        del rng
        return self.destinations[source]

    def shares(self, node: int) -> Shares:
        """All to one."""
        return Shares(self.destinations[node : node + 1].astype(np.int64), np.ones(1))


HOTSPOT_SHARE = 0.25
"""Share of the packets of `Hotspot` that go to one node; the others are uniform."""


class Uniform(Law):
    """Any other node; a network of one node sends to itself. Of two sides, any node of the other.

    Members
    -------
    first, end : ndarray
        First of the nodes to which each node may send, and the end of these, int64.
    """

    def __init__(self, topology: Topology) -> None:
        self.nodes = topology.nodes
        self.is_one_side = len(topology.sides) == 1
        to = [topology.receivers(side.start) for side in topology.sides]
        sizes = [len(side) for side in topology.sides]
        self.first = np.repeat([side.start for side in to], sizes)
        self.end = np.repeat([side.stop for side in to], sizes)

    @property
    def pairs(self) -> int:
        """All."""
        return int((self.end - self.first).sum())

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes at a random distance in the order of the nodes; of two sides, random nodes."""
        if not self.is_one_side:
            return rng.integers(self.first[source], self.end[source])
        return (source + rng.integers(1, max(self.nodes, 2), len(source))) % self.nodes

    def shares(self, node: int) -> Shares:
        """Equal ones."""
        if not self.is_one_side:
            others = np.arange(self.first[node], self.end[node])
            return Shares(others, np.full(len(others), 1 / len(others)))
        shares = np.full(self.nodes, 1 / max(self.nodes - 1, 1))
        shares[node] = 0.0 if self.nodes > 1 else 1.0
        return Shares(np.arange(self.nodes), shares)


class Hotspot(Uniform):
    """Node 0 by a share, and any other node; of two sides, the first node of the other."""

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes drawn as uniform ones, some of which are then the one node."""
        other = super().draw(rng, source)
        return np.where(rng.random(len(source)) < HOTSPOT_SHARE, self.first[source], other)

    def shares(self, node: int) -> Shares:
        """More for the one node."""
        destinations, shares = super().shares(node)
        shares *= 1 - HOTSPOT_SHARE
        shares[0] += HOTSPOT_SHARE
        return Shares(destinations, shares)


class Neighbour(Law):
    """Any adjacent router."""

    def __init__(self, topology: Topology) -> None:
        if (topology.attached >= 0).any():
            raise ConfigurationError(
                "traffic: neighbour must be used with a network whose routers are nodes, not "
                f"{topology.instance_name}"
            )
        self.neighbours = topology.neighbours

    @property
    def pairs(self) -> int:
        """One per link and direction."""
        return int((self.neighbours >= 0).sum())

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Router behind a random port."""
        links = self.neighbours >= 0
        place = (rng.random(len(source)) * links.sum(axis=1)[source]).astype(np.int64)
        ports = np.argsort(~links, axis=1, kind="stable")
        return self.neighbours[source, ports[source, place]]

    def shares(self, node: int) -> Shares:
        """Equal ones; a neighbour behind two ports stands twice."""
        links = self.neighbours[node]
        others = links[links >= 0].astype(np.int64)
        return Shares(others, np.full(len(others), 1 / max(len(others), 1)))


class Measured(Law):
    """Each node by its share in the source's row."""

    def __init__(self, matrix: RateMatrix) -> None:
        self.table = matrix.shares

    @property
    def pairs(self) -> int:
        """Those with a rate."""
        return int(np.count_nonzero(self.table))

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes by inversion of each row's cumulative shares."""
        numbers = rng.random(len(source))
        destination = np.zeros(len(source), np.int64)
        order = np.argsort(source, kind="stable")
        ends = np.searchsorted(source[order], np.arange(len(self.table) + 1))
        for node in np.unique(source).tolist():
            own = order[ends[node] : ends[node + 1]]
            sums = np.cumsum(self.table[node])
            if sums[-1] > 0:  # a silent node has no packet that goes here
                found = np.searchsorted(sums / sums[-1], numbers[own], side="right")
                destination[own] = found
        return destination

    def shares(self, node: int) -> Shares:
        """Shares of its row."""
        row = self.table[node]
        others = np.flatnonzero(row)
        return Shares(others.astype(np.int64), row[others])


class Mixed(Law):
    """One of several laws for each packet.

    Parameters
    ----------
    laws : sequence of Law
        Laws.
    rates : ndarray
        Rate of each node under each law, float64 of shape (laws, nodes); only the ratios between
        the laws of a node count.
    """

    def __init__(self, laws: Sequence[Law], rates: np.ndarray) -> None:
        self.laws = tuple(laws)
        totals = rates.sum(axis=0)
        self.parts = np.divide(rates, totals, out=np.zeros_like(rates), where=totals > 0)

    @property
    def pairs(self) -> int:
        """Those of all laws."""
        return sum(law.pairs for law in self.laws)

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Draw the law of each packet, then for each law its packets' destinations."""
        ends = np.cumsum(self.parts, axis=0)[:-1]
        number = (rng.random(len(source)) >= ends[:, source]).sum(axis=0)
        destination = np.zeros(len(source), np.int64)
        for place, law in enumerate(self.laws):
            own = np.flatnonzero(number == place)
            destination[own] = law.draw(rng, source[own])
        return destination

    def shares(self, node: int) -> Shares:
        """Those of all laws that the node follows, by their parts."""
        found = [
            (law.shares(node), part)
            for law, part in zip(self.laws, self.parts[:, node].tolist(), strict=True)
            if part > 0
        ]
        if not found:
            return Shares(np.zeros(0, np.int64), np.zeros(0))
        return Shares(
            np.concatenate([shares.destinations for shares, _ in found]),
            np.concatenate([shares.shares * part for shares, part in found]),
        )


class ByClass(Law):
    """Law of the nodes of a network, followed by the streams of each class.

    Parameters
    ----------
    law : Law
        Law of the nodes.
    nodes : int
        Nodes: stream ``nodes * k + i`` is that of class k at node i.
    classes : int
        Classes of traffic.
    """

    def __init__(self, law: Law, *, nodes: int, classes: int) -> None:
        self.law, self.nodes, self.classes = law, nodes, classes

    @property
    def pairs(self) -> int:
        """Those of the nodes, for each class."""
        return self.law.pairs * self.classes

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Streams of the same class at the nodes that the law draws."""
        place = source % self.nodes
        return source - place + self.law.draw(rng, place)

    def shares(self, node: int) -> Shares:
        """Those of the node, to streams of the same class."""
        place = node % self.nodes
        found = self.law.shares(place)
        return Shares(found.destinations + (node - place), found.shares)


LawMaker = Callable[[Topology, Traffic, np.random.Generator], Law]
"""Function that makes the law of a pattern; it may draw."""


def _permutation(name: str | None) -> LawMaker:
    """Maker of a permutation with a name; of the traffic's own if None."""

    def make(topology: Topology, traffic: Traffic, rng: np.random.Generator) -> Law:
        chosen = str(traffic.permutation) if name is None else name
        return Fixed(named_permutation(topology.nodes, chosen, rng, owner=traffic.name))

    return make


LAWS: dict[str, LawMaker] = {
    "uniform": lambda topology, _traffic, _rng: Uniform(topology),
    "complement": _permutation("complement"),
    "transpose": _permutation("transpose"),
    "reversal": _permutation("reversal"),
    "shuffle": _permutation("shuffle"),
    "neighbour": lambda topology, _traffic, _rng: Neighbour(topology),
    "hotspot": lambda topology, _traffic, _rng: Hotspot(topology),
    "tornado": lambda topology, _traffic, _rng: Fixed(tornado(topology)),
    "bit_rotation": _permutation("bit_rotation"),
    "permutation": _permutation(None),
    "matrix": lambda _topology, traffic, _rng: Measured(RateMatrix.of(traffic.matrix)),
}
"""Makers of all laws; a pattern without one draws no destinations."""


WEIGHTS: dict[str, Callable[[Traffic], np.ndarray]] = {
    "matrix": lambda traffic: RateMatrix.of(traffic.matrix).weights,
}
"""Rate of each node relative to the mean, for patterns in which the nodes differ."""


def make_law(topology: Topology, traffic: Traffic, rng: np.random.Generator) -> Law:
    """Law of a network's traffic; `rng` draws the permutation ``random``.

    Raises
    ------
    ConfigurationError
        A pattern that the network does not have, or a permutation that is none of its nodes.
    """
    traffic.require_packets()
    if isinstance(topology, Classed):
        law = make_law(topology.unaltered, traffic, rng)
        return ByClass(law, nodes=topology.unaltered.nodes, classes=topology.traffic_classes)
    laws = [LAWS[pattern](topology, traffic, rng) for pattern, _ in traffic.parts]
    if len(topology.sides) > 1:
        for law, (pattern, _) in zip(laws, traffic.parts, strict=True):
            _require_other_side(topology, law, f"{traffic.name}: {pattern}")
    if len(laws) == 1:
        return laws[0]
    return Mixed(laws, _rates(topology.nodes, traffic))


def _require_other_side(topology: Topology, law: Law, what: str) -> None:
    """Refuse the first packets to which the network has no way, those to a node's own side."""
    for node in range(topology.nodes):
        destinations, shares = law.shares(node)
        wrong = destinations[(shares > 0) & ~topology.may_send(node, destinations)]
        if len(wrong):
            raise ConfigurationError(
                f"{what} must send from each side of {topology.instance_name} to the other, not "
                f"from node {node} to node {wrong[0]}"
            )


def node_weights(topology: Topology, traffic: Traffic) -> np.ndarray | None:
    """Rate of each node relative to the mean of all, float64; None where all are the same.

    Raises
    ------
    ConfigurationError
        A matrix for another number of nodes.
    """
    if isinstance(topology, Classed):
        return _class_weights(topology, traffic)
    if traffic.class_rates is not None:
        raise ConfigurationError(
            "traffic: class_rates must be left unset without classes of traffic, not "
            f"{traffic.spelled('class_rates')}"
        )
    if traffic.matrix is None:
        return None
    if traffic.matrix.nodes != topology.nodes:
        raise ConfigurationError(
            f"traffic: matrix must have {topology.nodes} rows and columns for "
            f"{topology.instance_name}, not {traffic.matrix.nodes}"
        )
    return _rates(topology.nodes, traffic).sum(axis=0)


def _class_weights(topology: Classed, traffic: Traffic) -> np.ndarray | None:
    """Rate of each stream relative to the mean of all, float64; None where all are the same."""
    count, rates = topology.traffic_classes, traffic.class_rates
    of_nodes = node_weights(topology.unaltered, replace(traffic, class_rates=None))
    if rates is None:
        return None if of_nodes is None else np.tile(of_nodes, count)
    if len(rates) != count:
        raise ConfigurationError(
            f"traffic: class_rates must be {count} rates, one for each class, not "
            f"{traffic.spelled('class_rates')}"
        )
    of_classes = np.array(rates) / np.mean(rates)
    return np.kron(of_classes, np.ones(topology.unaltered.nodes) if of_nodes is None else of_nodes)


def _rates(nodes: int, traffic: Traffic) -> np.ndarray:
    """Rate of each node under each part of the traffic, float64 of shape (parts, nodes)."""
    rates = np.ones((len(traffic.parts), nodes))
    for row, (pattern, share) in enumerate(traffic.parts):
        rates[row] *= share * (WEIGHTS[pattern](traffic) if pattern in WEIGHTS else 1)
    return rates
