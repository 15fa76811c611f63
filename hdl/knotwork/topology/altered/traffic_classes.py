"""Networks whose traffic is of several classes, each with virtual channels of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Integer
from ..addressed_graph import Numbers
from ..base import Topology
from .several_nodes import AddedLocalPorts

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
def _class_over(unaltered: type[Topology]) -> type[Classed]:
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
    return _class_over(type(topology))(unaltered=topology, count=number)  # pyright: ignore[reportArgumentType]: accepted above
