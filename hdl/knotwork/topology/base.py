"""What every topology offers: its graph, its distances and how it is drawn."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..notebook_display import NotebookDisplay
from . import metrics
from .addressed_graph import AddressedGraph
from .bisections import Bounds, bisection

TABLE = "Liu and Han, table 1"
"""Table that compares three networks of N = 40 k m nodes."""


_HOLDS = {"is": operator.eq, "at least": operator.gt, "at most": operator.lt}
"""What a measure must be beside a printed value, by the relation that is printed."""


class PublishedFact(NamedTuple):
    """Fact of a network as a paper prints it.

    Members
    -------
    fact : str
        What is printed: a fact of the command ``describe``, or a measure that it names.
    formula : str
        Formula as it is printed, in the paper's letters.
    value : int or float
        What it gives for the network.
    source : str
        Where it is printed.
    why : str
        Why the network has another value, where it has.
    relation : str
        ``"is"``, or ``"at least"`` or ``"at most"`` where a bound is printed.
    of : str, int or None
        Which one is meant, where the network has several: a routing, a level, a size.
    """

    fact: str
    formula: str
    value: int | float
    source: str
    why: str
    relation: str = "is"
    of: str | int | None = None

    @property
    def name(self) -> str:
        """Name of the fact, with which one is meant."""
        return self.fact if self.of is None else f"{self.fact} {self.of}"

    def holds(self, measured: float) -> bool:
        """Whether the network is as it is printed."""
        return abs(measured - self.value) < 1e-9 or _HOLDS[self.relation](measured, self.value)


@dataclass(frozen=True, kw_only=True)
class Topology(AddressedGraph, NotebookDisplay):
    """Graph of a network with measures and positions for a drawing.

    The measures are found by search where a subclass has no formula. Where routers are not nodes, a
    subclass also gives `distance_counts`.
    """

    elsewhere: ClassVar[str | None] = None
    """What the network's name, or a key of it, means in other books and tools, if that differs."""
    routings: ClassVar[tuple[type, ...]] = ()
    """Routings of a network of your own, the default first; Knotwork's stand in `routing`.

    A direct network without any has those that are made for every graph (`routing.generated`).
    """
    unaltered_class: ClassVar[type | None] = None
    """Class of the network that it is made from, where its routings are made from those of that."""
    is_direct: ClassVar[bool] = True
    """Whether every router has a node."""
    mark: ClassVar[str] = "special"
    """Word for the links that `is_link_marked` picks out."""

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link at `port` is of the network's special kind (twisted, say)."""
        del router, port
        return False

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Sizes of the dimensions in which the nodes stand in rows; none in most networks.

        The first dimension is the lowest part of a node's index.
        """
        return ()

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Names of the kinds of links that a drawing colours; kind 0, those to nodes, it does not.

        The default is a kind for each port.
        """
        return ("to a node", *self.ports[1:])

    def link_kind(self, router: int, port: int) -> int:
        """Kind of the link at `port`, to another router: by default the lower of its two ports."""
        return min(port, int(self.peer_ports[router, port]))

    def layout(self) -> np.ndarray:
        """Positions of the routers in a drawing, float64 of shape (routers, 2), any scale.

        The default is a circle.
        """
        angle = 2 * np.pi * np.arange(self.routers) / self.routers
        return np.stack([np.sin(angle), -np.cos(angle)], axis=1)

    def node_layout(self) -> np.ndarray:
        """Positions of the nodes, float64 of shape (nodes, 2), in the scale of `layout`.

        Nodes are drawn where `attached` gives them links of their own.
        """
        return self.layout()[[self.router_of(node) for node in range(self.nodes)]]

    @property
    def has_node_columns(self) -> bool:
        """Whether nodes stand above each other in a drawing, and no link leads between them."""
        return False

    def known_diameter(self) -> int | None:
        """Diameter where a formula gives it, else None."""
        return None

    def known_average_distance(self) -> Fraction | None:
        """Mean distance over ordered pairs of distinct nodes where a formula gives it."""
        return None

    @cached_property
    def distance_counts(self) -> np.ndarray | None:
        """Ordered pairs of nodes by the hops between their routers, int64, from 0 on.

        A node makes a pair with itself too. None beyond the reach of the search.
        """
        sources = self.representatives
        if self.routers * len(sources) > metrics.SEARCH_LIMIT**2:
            return None
        if self.local_ports > 1 or self.routers != self.nodes:
            served = np.bincount(self.node_ports_table[0], minlength=self.routers)
            hops, pairs = metrics.distances(self.neighbours), np.outer(served, served)
            counted = np.bincount(hops.ravel(), pairs.ravel()).astype(np.int64)
            return counted[: np.nonzero(counted)[0][-1] + 1]
        counts = metrics.distance_counts(self.neighbours, sources)
        return counts * (self.routers // len(sources))

    @property
    def diameter(self) -> int | None:
        """Largest distance of two nodes; None where neither formula nor search gives it."""
        known = self.known_diameter()
        if known is not None or self.distance_counts is None:
            return known
        return len(self.distance_counts) - 1

    @property
    def average_distance(self) -> float | None:
        """Mean distance over ordered pairs of distinct nodes; None as for `diameter`."""
        known = self.known_average_distance()
        if known is not None:
            return float(known)
        counts = self.distance_counts
        if counts is None:
            return None
        pairs = self.nodes * (self.nodes - 1)
        return float(counts @ np.arange(len(counts))) / pairs if pairs else 0.0

    def known_bisection(self) -> tuple[int, int] | None:
        """Least and most that the fewest links between two halves can be, where formulas say."""
        return None

    @cached_property
    def bisected(self) -> Bounds | None:
        """Fewest links between two halves of the routers; None where routers are not nodes."""
        return bisection(self, self.known_bisection())

    @property
    def bisection_bounds(self) -> tuple[int, int] | None:
        """Least and most of `bisected`."""
        return None if self.bisected is None else (self.bisected.low, self.bisected.high)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Facts as papers print them, also distances of groups of these sizes."""
        del groups
        return ()

    def extra_facts(self) -> dict[str, Any]:
        """Facts that `describe` tells of this kind of network only."""
        return {}

    def node_distances(self) -> np.ndarray:
        """Hops between the routers of each two nodes, for networks whose square fits the memory."""
        at = [self.router_of(node) for node in range(self.nodes)]
        return metrics.distances(self.neighbours)[np.ix_(at, at)]

    def distance(self, source: int, destination: int) -> int:
        """Hops of a shortest path between the routers of two nodes."""
        return metrics.distance(
            self.neighbours, self.router_of(source), self.router_of(destination)
        )
