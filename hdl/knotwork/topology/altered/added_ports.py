"""Networks whose routers get more local ports: for several nodes, or for classes of traffic."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Integer, parameter
from ..base import Numbers, Topology
from .surviving import AnyTopology

NODES_PER_ROUTER = Integer(1, 8)
"""How many nodes a router may serve."""

_APART = 0.2  # of the usual length of a link: how far nodes are drawn from their router
_TURNS = 24  # turns of nodes around their routers that are tried


@dataclass(frozen=True, kw_only=True, repr=False)
class AddedLocalPorts(Topology):
    """Links, routers and places of a network whose routers get more local ports.

    The new ports come before all others, so every port of a link moves up by `added_ports`. A
    subclass says which nodes are behind the local ports.

    Parameters
    ----------
    unaltered : Topology
        Network that is altered.
    count : int
        How often each of its local ports is there.
    """

    unaltered: Topology = parameter(AnyTopology(), help="base network")  # noqa: RUF009
    count: int = parameter(NODES_PER_ROUTER, help="copies of each local port")

    def contents(self) -> dict[str, dict[str, Any]]:
        """What files of the unaltered network hold."""
        return self.unaltered.contents()

    @property
    def nodes(self) -> int:
        """As many for each of the unaltered network."""
        return self.count * self.unaltered.nodes

    @property
    def routers(self) -> int:
        """Those of the unaltered network."""
        return self.unaltered.routers

    @property
    def local_ports(self) -> int:
        """As many for each of the unaltered network."""
        return self.count * self.unaltered.local_ports

    @property
    def added_ports(self) -> int:
        """Local ports that the unaltered network has not."""
        return self.local_ports - self.unaltered.local_ports

    @cached_property
    def ports(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """``local0`` and so on, and the links of the unaltered network."""
        links = self.unaltered.ports[self.unaltered.local_ports :]
        return (*(f"local{port}" for port in range(self.local_ports)), *links)

    @property
    def port_bits(self) -> int:
        """Bits of an address that the unaltered network's have not: its lowest."""
        return (self.count - 1).bit_length()

    @property
    def address_width(self) -> int:
        """Bits of the unaltered network's addresses, and those below."""
        return self.unaltered.address_width + self.port_bits

    def router_label(self, router: int) -> str:
        """Name in the unaltered network."""
        return self.unaltered.router_label(router)

    @property
    def is_one_way(self) -> bool:
        """As in the unaltered network."""
        return self.unaltered.is_one_way

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Those of the unaltered network, at ports behind those of the nodes."""
        return self._behind_nodes(self.unaltered.neighbours, -1)

    @cached_property
    def peer_ports(self) -> np.ndarray:
        """Ports of the unaltered network, behind those of the nodes."""
        peers = np.where(
            self.unaltered.peer_ports < 0, -1, self.unaltered.peer_ports + self.added_ports
        )
        return self._behind_nodes(peers, -1).astype(np.int32)

    def _behind_nodes(self, table: np.ndarray, value: int) -> np.ndarray:
        """Table (routers, ports) of the unaltered network, with a value at the new ports."""
        return np.pad(table, ((0, 0), (self.added_ports, 0)), constant_values=value)

    @property
    def link_latency(self) -> np.ndarray | None:
        """That of the unaltered network."""
        latency = self.unaltered.link_latency
        return None if latency is None else self._behind_nodes(latency, 1)

    @property
    def representatives(self) -> np.ndarray:
        """Routers of the unaltered network."""
        return self.unaltered.representatives

    def known_diameter(self) -> int | None:
        """That of the unaltered network."""
        return self.unaltered.known_diameter()

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Those of the unaltered network."""
        return self.unaltered.link_kinds

    def link_kind(self, router: int, port: int) -> int:
        """Kind in the unaltered network."""
        return self.unaltered.link_kind(router, port - self.added_ports)

    @property
    def mark(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Word of the unaltered network."""
        return self.unaltered.mark

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link is special in the unaltered network."""
        return self.unaltered.is_link_marked(router, port - self.added_ports)

    def layout(self) -> np.ndarray:
        """Places in the unaltered network."""
        return self.unaltered.layout()

    def node_layout(self) -> np.ndarray:
        """Nodes around their routers, by their local ports."""
        places = self.layout().astype(np.float64)
        router, port = np.nonzero(self.neighbours >= 0)
        ways = places[router] - places[self.neighbours[router, port]]
        apart = _APART * float(np.median(np.hypot(*ways.T))) if len(ways) else _APART
        ports = self.local_ports
        angle = 2 * np.pi * np.arange(ports) / ports + _turn(ways, ports)
        around = apart * np.stack([np.sin(angle), -np.cos(angle)], axis=1)
        at, local = self.node_ports_table
        return places[at] + around[local]


@dataclass(frozen=True, kw_only=True, repr=False)
class SeveralNodes(AddedLocalPorts):
    """Network with several nodes at each router in place of one.

    Node ``count * i + p`` is behind local port p of router i. Its address is that of node i in the
    unaltered network, and below it the number of the port.

    Parameters
    ----------
    unaltered : Topology
        Network with one node at each router.
    count : int
        Nodes of a router.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.unaltered.is_one_to_one:
            raise ConfigurationError(
                f"{self.name}: nodes_per_router must be 1 in a network that says which nodes its "
                f"routers serve, not {self.count}"
            )

    def __repr__(self) -> str:
        return f"with_nodes({self.unaltered!r}, {self.count})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return with_nodes, (self.unaltered, self.count)

    def as_dict(self) -> dict[str, object]:
        """Parameters of the unaltered network, and the nodes of a router."""
        return self.unaltered.as_dict() | {"nodes_per_router": self.count}

    @property
    def instance_name(self) -> str:
        """Name of the unaltered network, and the nodes of a router."""
        return f"{self.unaltered.instance_name}_nodes_per_router{self.count}"

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return node // self.count

    def node_port(self, node: int) -> int:
        """Local port by which its router serves `node`."""
        return node % self.count

    def address(self, node: int) -> int:
        """Address in the unaltered network, and below it the number of the local port."""
        return self.unaltered.address(node // self.count) << self.port_bits | node % self.count

    def node_at(self, address: int) -> int | None:
        """Node whose code is `address`; None where no node has it."""
        upper, port = divmod(address, 1 << self.port_bits)
        node = self.unaltered.node_at(upper)
        return None if node is None or port >= self.count else self.count * node + port

    def label(self, node: int) -> str:
        """Name of the router's node in the unaltered network, and the number of the local port."""
        return f"{self.unaltered.label(node // self.count)}.{node % self.count}"

    @cached_property
    def distance_counts(self) -> np.ndarray | None:
        """Each pair of the unaltered network counts for all nodes of both routers."""
        counts = self.unaltered.distance_counts
        return None if counts is None else counts * self.count**2


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
def _several_nodes_class(unaltered: type[Topology]) -> type[SeveralNodes]:
    """Class of networks made from those of a class: with its name, and routings made from its."""
    named = {"name": unaltered.name, "unaltered_class": unaltered, "__module__": __name__}
    return type(f"SeveralNodes{unaltered.__name__}", (SeveralNodes,), named)


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
    return _several_nodes_class(type(topology))(unaltered=topology, count=number)  # pyright: ignore[reportArgumentType]: accepted above


CLASSES = Integer(1, 8)
"""How many classes of traffic a network may have."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Classed(AddedLocalPorts):
    """Network with a stream of each class at each node's place, in place of the node.

    A node of this network is a stream: number ``nodes * k + i`` is that of class k at node i of the
    unaltered network. It is behind local port ``local_ports * k + p``, where p is the port of node
    i in the unaltered network, and sends to streams of its class only. Its address is that of node
    i, and below it the class.

    Parameters
    ----------
    unaltered : Topology
        Network of the nodes.
    count : int
        Classes.
    """

    def __repr__(self) -> str:
        return f"with_classes({self.unaltered!r}, {self.count})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return with_classes, (self.unaltered, self.count)

    def as_dict(self) -> dict[str, object]:
        """Parameters of the unaltered network, and the classes."""
        return self.unaltered.as_dict() | {"classes": self.count}

    @property
    def instance_name(self) -> str:
        """Name of the unaltered network, and the classes."""
        return f"{self.unaltered.instance_name}_classes{self.count}"

    @property
    def traffic_classes(self) -> int:
        """As many as streams of a node."""
        return self.count

    def port_class(self, port: int) -> int:
        """Class of the stream behind a local port."""
        return port // self.unaltered.local_ports

    @property
    def sides(self) -> tuple[range, ...]:
        """Streams of each class."""
        size = self.unaltered.nodes
        return tuple(range(size * number, size * (number + 1)) for number in range(self.count))

    def receivers(self, source: int) -> range:
        """Streams of the same class."""
        return self.sides[source // self.unaltered.nodes]

    def may_send(self, source: Numbers, destination: Numbers) -> Numbers:
        """Whether both streams are of one class."""
        return source // self.unaltered.nodes == destination // self.unaltered.nodes

    def router_of(self, node: int) -> int:
        """Router of the node whose stream it is."""
        return self.unaltered.router_of(node % self.unaltered.nodes)

    def node_port(self, node: int) -> int:
        """Port of the node in the unaltered network, after those of lower classes."""
        number, place = divmod(node, self.unaltered.nodes)
        return number * self.unaltered.local_ports + self.unaltered.node_port(place)

    def address(self, node: int) -> int:
        """Address in the unaltered network, and below it the class."""
        number, place = divmod(node, self.unaltered.nodes)
        return self.unaltered.address(place) << self.port_bits | number

    def node_at(self, address: int) -> int | None:
        """Stream whose code is `address`; None where none has it."""
        upper, number = divmod(address, 1 << self.port_bits)
        node = self.unaltered.node_at(upper)
        return (
            None if node is None or number >= self.count else number * self.unaltered.nodes + node
        )

    def label(self, node: int) -> str:
        """Name of the node in the unaltered network, and the class."""
        number, place = divmod(node, self.unaltered.nodes)
        return f"{self.unaltered.label(place)}.{number}"

    @property
    def distance_counts(self) -> np.ndarray | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Each pair of the unaltered network counts once for each class."""
        counts = self.unaltered.distance_counts
        return None if counts is None else counts * self.count

    @property
    def average_distance(self) -> float | None:
        """That of the unaltered network."""
        return self.unaltered.average_distance


@cache
def _classed_class(unaltered: type[Topology]) -> type[Classed]:
    """Class of networks made from those of a class: with its name, and routings made from its."""
    named = {"name": unaltered.name, "unaltered_class": unaltered, "__module__": __name__}
    return type(f"Classed{unaltered.__name__}", (Classed,), named)


def with_classes(topology: Topology, count: object) -> Topology:
    """Network whose traffic is of as many classes.

    Parameters
    ----------
    topology : Topology
        Network of the nodes.
    count : int
        Classes, 1..8; with 1 the network itself.

    Raises
    ------
    ConfigurationError
        Another number.
    """
    try:
        number = CLASSES.read(count)
    except ValueError:
        number = None
    if not CLASSES.accepts(number):
        raise ConfigurationError(f"{topology.name}: classes must be {CLASSES.rule}, not {count}")
    if number == 1:
        return topology
    return _classed_class(type(topology))(unaltered=topology, count=number)  # pyright: ignore[reportArgumentType]: accepted above
