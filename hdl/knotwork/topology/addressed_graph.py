"""Routers, nodes, links and addresses as plain data."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..parameters import Parameters, format_value

Numbers = Any
"""Indices: an integer, or an array of them. NumPy's types cannot say that the answer is alike."""

LOCAL = 0
"""Port by which a router serves its node, or the first of its nodes: every router's first."""

SENDS, RECEIVES = 1, 2
"""What a port does."""

MOST_LATENCY = 16
"""Most cycles that a flit may be on a link."""


@dataclass(frozen=True, kw_only=True)
class NodePorts(Parameters):
    """Nodes, routers, and the ports by which routers serve nodes.

    The first `local_ports` of a router's ports are for nodes. By default there is one, and router i
    serves node i. Where routers serve several nodes or none, a subclass also gives `routers`,
    `router_label`, `local_ports`, `router_of` and `node_port`.
    """

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


@dataclass(frozen=True, kw_only=True)
class AddressedGraph(NodePorts):
    """Graph of routers and nodes, with the addresses that the hardware carries.

    A subclass is a frozen dataclass of its parameters and gives `ports`, `nodes` and `neighbours`;
    the rest has defaults for a direct network whose nodes' addresses are their indices, and whose
    links lead both ways.
    """

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


def long_links(latency: np.ndarray) -> np.ndarray | None:
    """Latencies of links as `AddressedGraph.link_latency` has them: None where all are 1."""
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
