"""Laws that spread the packets of a node by a rule."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.topology import Topology

from .law import Law, Shares

HOTSPOT_SHARE = 0.25
"""Share of the packets of `Hotspot` that go to node 0; the others are uniform."""


class Uniform(Law):
    """Any other node; a network of one node sends to itself."""

    def __init__(self, topology: Topology) -> None:
        self.nodes = topology.nodes

    @property
    def pairs(self) -> int:
        """All."""
        return self.nodes**2

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes at a random distance in the order of the nodes."""
        return (source + rng.integers(1, max(self.nodes, 2), len(source))) % self.nodes

    def shares(self, node: int) -> Shares:
        """Equal ones."""
        shares = np.full(self.nodes, 1 / max(self.nodes - 1, 1))
        shares[node] = 0.0 if self.nodes > 1 else 1.0
        return Shares(np.arange(self.nodes), shares)


class Hotspot(Uniform):
    """Node 0 by a share, and any other node."""

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Nodes drawn as uniform ones, some of which are then node 0."""
        other = super().draw(rng, source)
        return np.where(rng.random(len(source)) < HOTSPOT_SHARE, 0, other)

    def shares(self, node: int) -> Shares:
        """More for node 0."""
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
