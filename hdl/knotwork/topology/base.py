"""Interface of every topology: its graph, its addresses, its measures and how it is drawn."""

import operator
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..notebook_display import NotebookDisplay
from ..parameters import Parameters, format_value
from . import metrics
from .metrics import Bounds

Numbers = Any
"""Indices: an integer, or an array of them. NumPy's types cannot say that the answer is alike."""

LOCAL = 0
"""Port by which a router serves its node, or the first of its nodes: every router's first."""

SENDS, RECEIVES = 1, 2
"""Uses of a port, which add up."""

MOST_LATENCY = 16
"""Most cycles that a flit may be on a link."""


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
class Topology(Parameters, NotebookDisplay):
    """Graph of routers and nodes: links, addresses, measures, and positions for a drawing.

    A subclass is a frozen dataclass of its parameters and gives `ports`, `nodes` and `neighbours`;
    the rest has defaults for a direct network whose nodes' addresses are their indices, and whose
    links lead both ways. The first `local_ports` of a router's ports are for nodes. By default
    there is one, and router i serves node i. Where routers serve several nodes or none, a subclass
    also gives `routers`, `router_label`, `local_ports`, `router_of` and `node_port`.

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

    @property
    @abstractmethod
    def ports(self) -> tuple[str, ...]:
        """Names of the ports that a router can have.

        ``"local"`` first; where routers can serve several nodes ``"local0"``, ``"local1"`` and so
        on.
        """

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def routers(self) -> int:
        """Number of routers; by default, router i serves node i."""
        return self.nodes

    @property
    def local_ports(self) -> int:
        """Nodes that a router can serve: its first ports lead to them."""
        return 1

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return node

    def node_port(self, node: int) -> int:
        """Local port by which `router_of` serves `node`."""
        del node
        return LOCAL

    def is_local(self, port: Numbers) -> Numbers:
        """Whether a port is for a node; arrays give an array."""
        return port < self.local_ports

    @property
    def traffic_classes(self) -> int:
        """Classes of traffic: each has a stream at each node, and virtual channels of its own."""
        return 1

    def port_class(self, port: int) -> int:
        """Class of traffic of the stream behind a local port."""
        del port
        return 0

    @cached_property
    def node_ports_table(self) -> np.ndarray:
        """Routers of the nodes, and their local ports, int32 of shape (2, nodes)."""
        every = range(self.nodes)
        routers = np.fromiter(map(self.router_of, every), np.int32, self.nodes)
        return np.stack([routers, np.fromiter(map(self.node_port, every), np.int32, self.nodes)])

    @property
    def routers_are_nodes(self) -> bool:
        """Whether routers are nodes, one each, and none has a link to another."""
        return self.routers == self.nodes and bool((self.attached < 0).all())

    @property
    def is_one_to_one(self) -> bool:
        """Whether router i serves node i, and none other."""
        if self.local_ports > 1 or self.routers != self.nodes:
            return False
        return bool((self.node_ports_table[0] == np.arange(self.nodes)).all())

    @cached_property
    def local_nodes(self) -> np.ndarray:
        """Node behind each local port, int32 of shape (routers, local_ports); -1 for none."""
        table = np.full((self.routers, self.local_ports), -1, np.int32)
        table[tuple(self.node_ports_table)] = np.arange(self.nodes)
        return table

    @property
    def sides(self) -> tuple[range, ...]:
        """Nodes of each side, where a node sends to the other side only; else one range of all.

        Of two sides, the first has 0 in the highest bit of its addresses, and the second has 1.
        """
        return (range(self.nodes),)

    def receivers(self, source: int) -> range:
        """Nodes to which a node may send."""
        first, last = self.sides[0], self.sides[-1]
        return last if source in first else first

    def may_send(self, source: Numbers, destination: Numbers) -> Numbers:
        """Whether a node may send to another; arrays give an array."""
        first = self.sides[0].stop
        is_same = (source < first) == (destination < first)
        return is_same == (len(self.sides) == 1)

    @property
    def links_per_node(self) -> int:
        """Links that a node with an interface of its own has, to as many routers."""
        return 1

    def node_link(self, router: int) -> int:
        """Which link of its nodes leads to a router."""
        del router
        return 0

    @property
    def attached(self) -> np.ndarray:
        """Node behind each port but `LOCAL`, int32 of shape (routers, ports); -1 for none."""
        return np.full_like(self.neighbours, -1)

    @property
    @abstractmethod
    def neighbours(self) -> np.ndarray:
        """Router behind each port, int32 of shape (routers, ports); -1 where there is none."""

    @cached_property
    def peer_ports(self) -> np.ndarray:
        """Port at the link's other end, int32 of shape (routers, ports); -1 where none.

        The default joins the links of two routers in the order of their ports: the first one to the
        other router meets the first one back.
        """
        return pair_ports(self.neighbours)

    @property
    def is_one_way(self) -> bool:
        """Whether links lead one way only.

        A port then receives from another router than it sends to.
        """
        return False

    @property
    def link_latency(self) -> np.ndarray | None:
        """Cycles that a flit is on each link, int32 of shape (routers, ports), by its sender.

        1 where there is no link, `MOST_LATENCY` at most; None where all links take 1.
        """
        return None

    @cached_property
    def senders(self) -> tuple[np.ndarray, np.ndarray]:
        """Router and port whose channel comes in at each port; -1 where there is none.

        Each an int32 array of shape (routers, ports). Those at the link's other end, where links
        lead both ways.
        """
        if not self.is_one_way:
            return self.neighbours, self.peer_ports
        routers = np.full(self.neighbours.shape, -1, np.int32)
        ports = np.full(self.neighbours.shape, -1, np.int32)
        router, port = np.nonzero(self.neighbours >= 0)
        into = self.neighbours[router, port], self.peer_ports[router, port]
        routers[into], ports[into] = router, port
        return routers, ports

    @cached_property
    def port_uses(self) -> np.ndarray:
        """What each port does, int8 of shape (routers, ports): `SENDS` plus `RECEIVES`.

        Those of nodes do both, and where links lead one way others may do one.
        """
        uses = SENDS * (self.neighbours >= 0) + RECEIVES * (self.senders[0] >= 0)
        uses[self.attached >= 0] = SENDS + RECEIVES
        uses[:, : self.local_ports] = (SENDS + RECEIVES) * (self.local_nodes >= 0)
        return uses.astype(np.int8)

    def connected_ports(self, router: int) -> tuple[int, ...]:
        """Ports of a router that lead to its nodes, and then those that have a link."""
        return tuple(np.nonzero(self.port_uses[router])[0].tolist())

    @property
    def representatives(self) -> np.ndarray:
        """Routers that stand for all, int: by the network's symmetry each for equally many."""
        return np.arange(self.routers)

    @property
    def address_width(self) -> int:
        """Bits of an address: by default, as many as the nodes' indices need."""
        return max(1, (self.nodes - 1).bit_length())

    def address(self, node: int) -> int:
        """Code that the hardware carries for `node`."""
        return node

    def node_at(self, address: int) -> int | None:
        """Node whose code is `address`; None where no node has it."""
        return address if 0 <= address < self.nodes else None

    @property
    def unused_addresses(self) -> list[int]:
        """Codes of `address_width` bits that no node has, rising."""
        return [code for code in range(1 << self.address_width) if self.node_at(code) is None]

    def router_address(self, router: int) -> int:
        """Code that the hardware of `router` knows as its own: its first node's, 0 without one."""
        nodes = self.local_nodes[router]
        return self.address(int(nodes[nodes >= 0][0])) if (nodes >= 0).any() else 0

    def label(self, node: int) -> str:
        """Printable name of `node`: its address in binary."""
        return f"{self.address(node):0{self.address_width}b}"

    def router_label(self, router: int) -> str:
        """Printable name of a router: letters, digits, ``_`` and ``.``."""
        return self.label(router)

    def router_identifier(self, router: int) -> str:
        """Name of a router as a part of a Verilog identifier."""
        return self.router_label(router).replace(".", "_")

    @property
    def instance_name(self) -> str:
        """Name for files and modules: network and parameters, ``moebius_n4_twist1``."""
        parts = [f"{key}{format_value(value)}" for key, value in self.as_dict().items()]
        return "_".join([self.name, *parts]).replace(",", "_")

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
        if not self.routers_are_nodes:
            return None
        return metrics.bisection(self.neighbours, self.known_bisection())

    @property
    def bisection_bounds(self) -> tuple[int, int] | None:
        """Least and most of `bisected`."""
        return None if self.bisected is None else (self.bisected.low, self.bisected.high)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Facts as papers print them, also distances of groups of these sizes."""
        del groups
        return ()

    def extra_facts(self) -> dict[str, Any]:
        """Facts that `describe` reports of this kind of network only."""
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


def long_links(latency: np.ndarray) -> np.ndarray | None:
    """Latencies of links as `Topology.link_latency` has them: None where all are 1."""
    return latency if (latency > 1).any() else None


def pair_ports(neighbours: np.ndarray) -> np.ndarray:
    """Port at the other end of each link, int32; -1 for none, and where no port leads back.

    Parameters
    ----------
    neighbours : ndarray
        Router behind each port, int, shape (routers, ports); -1 where there is none.
    """
    peers = np.full(neighbours.shape, -1, np.int32)
    back: dict[tuple[int, int], list[int]] = {}
    links = [tuple(link) for link in np.argwhere(neighbours >= 0).tolist()]
    for router, port in links:
        back.setdefault((int(neighbours[router, port]), router), []).append(port)
    for router, port in links:
        there = back.get((router, int(neighbours[router, port])), [])
        if there:
            peers[router, port] = there.pop(0)
    return peers
