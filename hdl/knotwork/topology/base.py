"""What every topology offers: routers, nodes, links and addresses as plain data."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..parameters import Parameters, spelled
from . import metrics

LOCAL = 0
"""Port by which a router serves its node; every router's first."""


@dataclass(frozen=True, kw_only=True)
class Topology(Parameters):
    """Graph of routers and nodes, with the addresses that the hardware carries.

    A subclass is a frozen dataclass of its parameters and gives `ports`, `neighbours` and
    `peer_ports`; the rest has defaults for a direct network whose nodes' addresses are their
    indices. Where routers are not nodes, it gives `routers`, `router_of`, `router_label` and
    `distance_counts` too.
    """

    mark: ClassVar[str] = "special"
    """Word for the links that `is_link_marked` picks out."""

    @classmethod
    def of(cls, topology: "Topology") -> Self:
        """Same topology, known to be of this class.

        Raises
        ------
        TypeError
            Another topology.
        """
        if not isinstance(topology, cls):
            raise TypeError(f"a topology must be {cls.__name__}, not {type(topology).__name__}")
        return topology

    @property
    @abstractmethod
    def ports(self) -> tuple[str, ...]:
        """Names of the ports that a router can have, ``"local"`` first."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """Number of nodes."""

    @property
    def routers(self) -> int:
        """Number of routers; in a direct network, router i serves node i."""
        return self.nodes

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return node

    @property
    def attached(self) -> np.ndarray:
        """Node behind each port but `LOCAL`, int32 of shape (routers, ports); -1 for none."""
        return np.full_like(self.neighbours, -1)

    @property
    @abstractmethod
    def neighbours(self) -> np.ndarray:
        """Router behind each port, int32 of shape (routers, ports); -1 where there is none."""

    @property
    @abstractmethod
    def peer_ports(self) -> np.ndarray:
        """Port at the link's other end, int32 of shape (routers, ports); -1 where none."""

    @property
    def is_one_way(self) -> bool:
        """Whether links lead one way only.

        A port then receives from another router than it sends to.
        """
        return False

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

    def connected_ports(self, router: int) -> tuple[int, ...]:
        """Ports of a router, `LOCAL` first and then those that have a link."""
        return (LOCAL, *np.nonzero(self.neighbours[router] >= 0)[0].tolist())

    @property
    def representatives(self) -> np.ndarray:
        """Routers that stand for all, int: by the network's symmetry each for equally many."""
        return np.arange(self.routers)

    @property
    @abstractmethod
    def address_width(self) -> int:
        """Bits of an address."""

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
        parts = [f"{key}{spelled(value)}" for key, value in self.as_dict().items()]
        return "_".join([self.name, *parts]).replace(",", "_")

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link at `port` is of the network's special kind (twisted, say)."""
        del router, port
        return False

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

    @property
    def bisection_bounds(self) -> tuple[int, int] | None:
        """Least and most that the fewest links between two halves can be, where formulas say."""
        return None

    def more_facts(self) -> dict[str, Any]:
        """Facts that `describe` tells of this kind of network only."""
        return {}

    def distance(self, source: int, destination: int) -> int:
        """Hops of a shortest path between the routers of two nodes."""
        return metrics.distance(self.neighbours, source, destination)
