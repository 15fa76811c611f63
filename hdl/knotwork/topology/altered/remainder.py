"""Routers and nodes that are left of a network: their numbers, names and places."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...parameters import parameter
from ...parameters.kinds import Kind
from ..base import Topology
from .dead_parts import DEAD, DeadParts, dead_parts


class AnyTopology(Kind):
    """Any topology."""

    rule = "a topology"

    def accepts(self, value: object) -> bool:
        """Whether it is one."""
        return isinstance(value, Topology)


@dataclass(frozen=True, kw_only=True, repr=False)
class Remainder(Topology):
    """Routers and nodes that are left of a network, numbered anew.

    Parameters
    ----------
    unaltered : Topology
        Network with all its links and routers.
    dead : str
        Those that are dead; see `DEAD`.
    """

    unaltered: Topology = parameter(  # noqa: RUF009 - as every field
        AnyTopology(), help="network with all its links and routers"
    )
    dead: str = parameter(DEAD, help="dead links and routers")

    @cached_property
    def parts(self) -> DeadParts:
        """What is dead, in the numbers of the unaltered network."""
        return dead_parts(self.unaltered, self.dead)

    @cached_property
    def router_numbers(self) -> np.ndarray:
        """Number in the unaltered network of each router that is left."""
        return np.setdiff1d(np.arange(self.unaltered.routers), self.parts.routers)

    @cached_property
    def node_numbers(self) -> np.ndarray:
        """Number in the unaltered network of each node that is left."""
        return np.nonzero(~np.isin(self.unaltered.node_ports_table[0], self.parts.routers))[0]

    @cached_property
    def renumbered(self) -> np.ndarray:
        """Number of each router of the unaltered network, -1 for those that are dead."""
        numbers = np.full(self.unaltered.routers, -1, np.int32)
        numbers[self.router_numbers] = np.arange(len(self.router_numbers))
        return numbers

    @property
    def nodes(self) -> int:
        """Nodes of the routers that are left."""
        return len(self.node_numbers)

    @property
    def routers(self) -> int:
        """Routers that are left."""
        return len(self.router_numbers)

    @property
    def ports(self) -> tuple[str, ...]:
        """Those of the unaltered network."""
        return self.unaltered.ports

    @property
    def local_ports(self) -> int:
        """Those of the unaltered network."""
        return self.unaltered.local_ports

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return int(self.renumbered[self.unaltered.router_of(int(self.node_numbers[node]))])

    def node_port(self, node: int) -> int:
        """Port by which its router serves `node`."""
        return self.unaltered.node_port(int(self.node_numbers[node]))

    @property
    def address_width(self) -> int:
        """That of the unaltered network."""
        return self.unaltered.address_width

    def address(self, node: int) -> int:
        """Code that the node has in the unaltered network."""
        return self.unaltered.address(int(self.node_numbers[node]))

    def node_at(self, address: int) -> int | None:
        """Node whose code is `address`; None where it is no node's, or a dead one's."""
        node = self.unaltered.node_at(address)
        place = int(np.searchsorted(self.node_numbers, -1 if node is None else node))
        is_left = place < self.nodes and self.node_numbers[place] == node
        return place if is_left else None

    def label(self, node: int) -> str:
        """Name that the node has in the unaltered network."""
        return self.unaltered.label(int(self.node_numbers[node]))

    def router_label(self, router: int) -> str:
        """Name that the router has in the unaltered network."""
        return self.unaltered.router_label(int(self.router_numbers[router]))

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Those of the unaltered network."""
        return self.unaltered.link_kinds

    def link_kind(self, router: int, port: int) -> int:
        """Kind in the unaltered network."""
        return self.unaltered.link_kind(int(self.router_numbers[router]), port)

    @property
    def mark(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Word of the unaltered network."""
        return self.unaltered.mark

    def is_link_marked(self, router: int, port: int) -> bool:
        """Whether the link is special in the unaltered network."""
        return self.unaltered.is_link_marked(int(self.router_numbers[router]), port)

    def layout(self) -> np.ndarray:
        """Places in the unaltered network."""
        return self.unaltered.layout()[self.router_numbers]

    def node_layout(self) -> np.ndarray:
        """Places in the unaltered network."""
        return self.unaltered.node_layout()[self.node_numbers]
