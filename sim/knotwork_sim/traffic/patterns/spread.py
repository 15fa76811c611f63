"""Laws that spread the packets of a node by a rule."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.topology import Topology

from .law import Law, Shares

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
                f"traffic: neighbour must go with a network whose routers are nodes, not "
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
