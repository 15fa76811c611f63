"""Networks in which every router serves several nodes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Integer, parameter
from ..base import Topology
from .remainder import Whole

NODES_PER_ROUTER = Integer(1, 8)
"""How many nodes a router may serve."""

_APART = 0.2  # of the usual length of a link: how far nodes are drawn from their router
_TURNS = 24  # turns of nodes around their routers that are tried


@dataclass(frozen=True, kw_only=True, repr=False)
class NodeGroups(Topology):
    """Nodes of a network that has several at each router, their ports, addresses and names.

    Node ``count * i + p`` is behind local port p of router i. Its address is that of node i in the
    whole network, and below it the number of the port.

    Parameters
    ----------
    whole : Topology
        Network with one node at each router.
    count : int
        Nodes of a router.
    """

    whole: Topology = parameter(Whole(), help="network with a node at each router")  # noqa: RUF009
    count: int = parameter(NODES_PER_ROUTER, help="nodes per router")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.whole.is_one_to_one:
            raise ConfigurationError(
                f"{self.name}: nodes_per_router must be 1 in a network that says which nodes its "
                f"routers serve, not {self.count}"
            )

    def __repr__(self) -> str:
        return f"with_nodes({self.whole!r}, {self.count})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return with_nodes, (self.whole, self.count)

    def as_dict(self) -> dict[str, object]:
        """Parameters of the whole network, and the nodes of a router."""
        return self.whole.as_dict() | {"nodes_per_router": self.count}

    def contents(self) -> dict[str, dict[str, Any]]:
        """What files of the whole network hold."""
        return self.whole.contents()

    @property
    def instance_name(self) -> str:
        """Name of the whole network, and the nodes of a router."""
        return f"{self.whole.instance_name}_nodes_per_router{self.count}"

    @property
    def nodes(self) -> int:
        """As many at each router."""
        return self.count * self.whole.nodes

    @property
    def routers(self) -> int:
        """Those of the whole network."""
        return self.whole.routers

    @cached_property
    def ports(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """``local0`` and so on, and the links of the whole network."""
        return (*(f"local{port}" for port in range(self.count)), *self.whole.ports[1:])

    @property
    def local_ports(self) -> int:
        """A port for each node of a router."""
        return self.count

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return node // self.count

    def node_port(self, node: int) -> int:
        """Place of a node among those of its router."""
        return node % self.count

    @property
    def port_bits(self) -> int:
        """Bits of an address that tell the node among those of its router."""
        return (self.count - 1).bit_length()

    @property
    def address_width(self) -> int:
        """Bits of the whole network's addresses, and of a port's number."""
        return self.whole.address_width + self.port_bits

    def address(self, node: int) -> int:
        """Address in the whole network, and below it the number of the local port."""
        return self.whole.address(node // self.count) << self.port_bits | node % self.count

    def node_at(self, address: int) -> int | None:
        """Node whose code is `address`; None where no node has it."""
        upper, port = divmod(address, 1 << self.port_bits)
        node = self.whole.node_at(upper)
        return None if node is None or port >= self.count else self.count * node + port

    def label(self, node: int) -> str:
        """Name of the router's node in the whole network, and the number of the local port."""
        return f"{self.whole.label(node // self.count)}.{node % self.count}"

    def router_label(self, router: int) -> str:
        """Name in the whole network."""
        return self.whole.router_label(router)


@dataclass(frozen=True, kw_only=True, repr=False)
class SeveralNodes(NodeGroups):
    """Network with several nodes at each router in place of one: links and places of the whole.

    Parameters
    ----------
    whole : Topology
        Network with one node at each router.
    count : int
        Nodes of a router.
    """

    @property
    def is_one_way(self) -> bool:
        """As in the whole network."""
        return self.whole.is_one_way

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Those of the whole network, at ports behind those of the nodes."""
        return np.pad(self.whole.neighbours, ((0, 0), (self.count - 1, 0)), constant_values=-1)

    @cached_property
    def peer_ports(self) -> np.ndarray:
        """Ports of the whole network, behind those of the nodes."""
        peers = np.where(self.whole.peer_ports < 0, -1, self.whole.peer_ports + self.count - 1)
        padded = np.pad(peers, ((0, 0), (self.count - 1, 0)), constant_values=-1)
        return padded.astype(np.int32)

    @property
    def link_latency(self) -> np.ndarray | None:
        """That of the whole network."""
        whole = self.whole.link_latency
        if whole is None:
            return None
        return np.pad(whole, ((0, 0), (self.count - 1, 0)), constant_values=1)

    @property
    def representatives(self) -> np.ndarray:
        """Routers of the whole network."""
        return self.whole.representatives

    @cached_property
    def distance_counts(self) -> np.ndarray | None:
        """Each pair of the whole network counts for all nodes of both routers."""
        counts = self.whole.distance_counts
        return None if counts is None else counts * self.count**2

    def known_diameter(self) -> int | None:
        """That of the whole network."""
        return self.whole.known_diameter()

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Those of the whole network."""
        return self.whole.link_kinds

    def link_kind(self, router: int, port: int) -> int:
        """Kind in the whole network."""
        return self.whole.link_kind(router, port - self.count + 1)

    @property
    def mark(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Word of the whole network."""
        return self.whole.mark

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link is special in the whole network."""
        return self.whole.is_link_marked(router, port - self.count + 1)

    def layout(self) -> np.ndarray:
        """Places in the whole network."""
        return self.whole.layout()

    def node_layout(self) -> np.ndarray:
        """Nodes around their routers."""
        places = self.layout().astype(np.float64)
        router, port = np.nonzero(self.neighbours >= 0)
        ways = places[router] - places[self.neighbours[router, port]]
        apart = _APART * float(np.median(np.hypot(*ways.T))) if len(ways) else _APART
        angle = 2 * np.pi * np.arange(self.count) / self.count + _turn(ways, self.count)
        around = apart * np.stack([np.sin(angle), -np.cos(angle)], axis=1)
        return (places[:, None] + around).reshape(-1, 2)


def _turn(ways: np.ndarray, count: int) -> float:
    """Turn of the nodes around a router that keeps them farthest from its links.

    Parameters
    ----------
    ways : ndarray
        From routers along their links, (ends of links, 2).
    count : int
        Nodes around a router.
    """
    step = 2 * np.pi / count
    turns = step * (np.arange(_TURNS) + 0.5) / _TURNS
    taken = np.arctan2(ways[:, 0], -ways[:, 1])
    apart = np.abs((turns[:, None] - taken + step / 2) % step - step / 2)
    return float(turns[apart.min(axis=1, initial=np.pi).argmax()])


@cache
def _class_over(whole: type[Topology]) -> type[SeveralNodes]:
    """Class of networks made from those of a class: with its name, and routings made from its."""
    named = {"name": whole.name, "whole_class": whole, "__module__": __name__}
    return type(f"SeveralNodes{whole.__name__}", (SeveralNodes,), named)


def with_nodes(topology: Topology, count: object) -> Topology:
    """Network with as many nodes at each router.

    Parameters
    ----------
    topology : Topology
        Network with one node at each router.
    count : int
        Nodes of a router, 1..8; with 1 the network itself.

    Raises
    ------
    ConfigurationError
        Another number, or a network whose routers serve several nodes or none already.
    """
    try:
        number = NODES_PER_ROUTER.read(count)
    except ValueError:
        number = None
    if not NODES_PER_ROUTER.accepts(number):
        raise ConfigurationError(
            f"{topology.name}: nodes_per_router must be {NODES_PER_ROUTER.rule}, not {count}"
        )
    if number == 1:
        return topology
    return _class_over(type(topology))(whole=topology, count=number)  # pyright: ignore[reportArgumentType]: accepted above
