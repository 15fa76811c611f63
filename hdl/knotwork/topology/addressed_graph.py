"""Routers, nodes, links and addresses as plain data."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..parameters import Parameters, spelled

Numbers = Any
"""Indices: an integer, or an array of them. NumPy's types cannot say that the answer is alike."""

LOCAL = 0
"""Port by which a router serves its node; every router's first."""


@dataclass(frozen=True, kw_only=True)
class AddressedGraph(Parameters):
    """Graph of routers and nodes, with the addresses that the hardware carries.

    A subclass is a frozen dataclass of its parameters and gives `ports`, `nodes` and `neighbours`;
    the rest has defaults for a direct network whose nodes' addresses are their indices, and whose
    links lead both ways. Where routers are not nodes, it also gives `routers`, `router_of` and
    `router_label`.
    """

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
        return joined_ports(self.neighbours)

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


def joined_ports(neighbours: np.ndarray) -> np.ndarray:
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
