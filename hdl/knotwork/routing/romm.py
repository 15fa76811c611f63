"""ROMM for any network: by way of a node on a shortest path, which the source draws."""

from functools import cached_property
from typing import ClassVar

import numpy as np

from .base import Routing
from .rules import Turn
from .valiant import Valiant


class Romm(Valiant):
    """By way of a node that the source draws among those that make no path longer.

    To it and from it packets go by the network's own routing, in the classes of `Valiant`. The
    nodes of a pair are those for which the hops of both ways together are no more than those of the
    own routing's path: where that takes shortest paths, all nodes on shortest paths. Source and
    destination are among them. In order of their hops from the source, each stands for as many of
    the numbers drawn as any other, or one more; where there are more than numbers, for one or none.

    References
    ----------
    T. Nesson and S. L. Johnsson, "ROMM routing on mesh and torus networks", SPAA 1995.
    """

    name: ClassVar[str] = "romm"

    @property
    def draws(self) -> int:
        """Sixteen: of more nodes that a pair may have, as many, evenly spread."""
        return 16

    @property
    def header_numbers(self) -> int:
        """Routers with nodes."""
        return len(self._drawn)

    @cached_property
    def written(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Place of the node among those drawn by `Valiant`; where there is no node, 0."""
        served = self.topology.node_ports_table[0][self._drawn]
        hops = self.base.walk_lengths()[np.ix_(self._drawn, self._drawn)]
        written = np.zeros((self.topology.routers, self.topology.routers, self.draws), np.int16)
        drawn = np.arange(self.draws)
        for source, router in enumerate(served.tolist()):
            order = np.argsort(hops[source], kind="stable")
            is_between = hops[source][order, None] + hops[order] <= hops[source]
            count = is_between.sum(axis=0)
            nodes = order[np.argsort(~is_between, axis=0, kind="stable")]  # those between first
            place = drawn[:, None] * count // self.draws
            written[router, served] = np.take_along_axis(nodes, place, axis=0).T
        return written

    def class_turns(self, router: int) -> set[Turn]:
        """Those that packets take: fewer than any two ways would."""
        return Routing.class_turns(self, router)
