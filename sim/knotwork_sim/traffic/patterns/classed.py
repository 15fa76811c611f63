"""Law of networks with classes of traffic: that of one class, for each."""

import numpy as np

from .law import Law, Shares


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
