"""Networks without some of their links and routers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ConfigurationError
from ..addressed_graph import long_links
from ..base import Topology
from ..graph_file.wiring import Link, unreached_pair
from .dead_parts import DEAD, dead_ports
from .remainder import Remainder


@dataclass(frozen=True, kw_only=True, repr=False)
class Surviving(Remainder):
    """What is left of a network without its dead links and routers, and without their nodes.

    Routers and nodes that are left are numbered anew, and keep their labels, their addresses and
    their ports.

    Parameters
    ----------
    unaltered : Topology
        Network with all its links and routers.
    dead : str
        Those that are dead; see `DEAD`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_connection()

    def __repr__(self) -> str:
        return f"without({self.unaltered!r}, {self.dead!r})"

    def _require_connection(self) -> None:
        """Refuse what leaves no node, or a router that another one cannot reach."""
        if not self.nodes:
            raise ConfigurationError(f"{self.name}: dead must leave a node, not none")
        near, links = self.neighbours, list[Link]()
        for router, port in np.argwhere(near >= 0).tolist():
            links.append(Link(router, int(near[router, port]), two_way=False))
        if pair := unreached_pair(self.routers, links):
            start, end = (
                f"router {self.router_numbers[router]} (@{self.router_label(router)})"
                for router in pair
            )
            raise ConfigurationError(
                f"{self.name}: dead must leave every router reached from every other, not {end} "
                f"without a way from {start}"
            )

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Name of the unaltered network."""
        return self.unaltered.name

    def as_dict(self) -> dict[str, object]:
        """Parameters of the unaltered network, and what is dead."""
        return self.unaltered.as_dict() | {"dead": self.dead}

    def contents(self) -> dict[str, dict[str, Any]]:
        """What files of the unaltered network hold."""
        return self.unaltered.contents()

    @property
    def instance_name(self) -> str:
        """Name of the unaltered network, and what is dead."""
        return f"{self.unaltered.instance_name}_{self.parts.name}"

    @property
    def is_one_way(self) -> bool:
        """As in the unaltered network."""
        return self.unaltered.is_one_way

    @cached_property
    def _links(self) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours and ports at the other ends."""
        dead, routers = dead_ports(self.unaltered, self.parts), self.router_numbers
        near = np.where(dead, -1, self.renumbered[self.unaltered.neighbours])
        near[self.unaltered.neighbours < 0] = -1
        peers = np.where(near >= 0, self.unaltered.peer_ports, -1)
        return near[routers].astype(np.int32), peers[routers].astype(np.int32)

    @property
    def neighbours(self) -> np.ndarray:
        """Router behind each port that has a link left."""
        return self._links[0]

    @property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Port at the other end of each link."""
        return self._links[1]

    @cached_property
    def link_latency(self) -> np.ndarray | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As in the unaltered network."""
        latency = self.unaltered.link_latency
        if latency is None:
            return None
        return long_links(np.where(self.neighbours >= 0, latency[self.router_numbers], 1))


def without(topology: Topology, dead: object) -> Surviving:
    """Network without some of its links and routers.

    Parameters
    ----------
    topology : Topology
        Network with a node, several or none at each router.
    dead : str or list
        What is dead: ``0-1,5``, ``@0.0-@0.1,@1.1`` or a list of such words.

    Raises
    ------
    ConfigurationError
        What names no router or link, or leaves a network that falls apart.
    """
    return Surviving(unaltered=topology, dead=DEAD.read(dead))  # pyright: ignore[reportArgumentType]: refused there
