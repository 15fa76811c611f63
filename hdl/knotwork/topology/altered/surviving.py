"""Networks without their dead links and routers: how these are named, and what remains."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Text, parameter
from ...parameters.kinds import Kind
from ...wording import parse_index
from ..base import Topology, long_links
from ..graph_file.builder import Link, unreached_pair


class _Parts(Text):
    """Words separated by commas; a list, as in a TOML file, becomes one text."""

    def read(self, value: object) -> object:
        if isinstance(value, list):
            return ",".join(map(str, value))
        return str(value) if isinstance(value, int) else value


DEAD = _Parts("routers, and links as A-B, by number or @label, separated by commas")
"""How dead links and routers are written: ``0-1,5`` or ``@0.0-@0.1,@1.1``."""


class DeadParts(NamedTuple):
    """What of a network is dead.

    Members
    -------
    routers : tuple of int
        Routers, in the order in which they are named.
    links : tuple of (int, int)
        Pairs of routers whose links are dead, all of them and both ways.
    """

    routers: tuple[int, ...]
    links: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """Part of an instance's name."""
        links = [f"{a}to{b}" for a, b in self.links]
        return "_".join(["dead", *links, *map(str, self.routers)])


def dead_parts(topology: Topology, text: str) -> DeadParts:
    """Dead links and routers of a network.

    Raises
    ------
    ConfigurationError
        What names no router, routers without a link between them, and what is named twice.
    """
    routers: list[int] = []
    links: list[tuple[int, int]] = []
    for word, ends in _words(topology, text):
        if len(ends) == 1:
            twice = ends[0] in routers
            routers.append(ends[0])
        else:
            a, b = ends
            if not (topology.neighbours[a] == b).any() and not (topology.neighbours[b] == a).any():
                raise ConfigurationError(
                    f"{topology.name}: dead must name routers with a link between them, not {word}"
                )
            twice = (a, b) in links or (b, a) in links
            links.append((a, b))
        if twice:
            raise ConfigurationError(f"{topology.name}: dead must name {word} once, not twice")
    return DeadParts(tuple(routers), tuple(links))


def _words(topology: Topology, text: str) -> Iterator[tuple[str, list[int]]]:
    """Each word, and the routers that it names: one, or both ends of a link."""
    labels: dict[str, int] = {}
    if "@" in text:
        labels = {topology.router_label(number): number for number in range(topology.routers)}
    for written in text.split(","):
        word = written.strip()
        ends = [_router(topology, labels, end) for end in word.split("-")]
        numbers = [end for end in ends if end is not None]
        if len(numbers) < len(ends) or len(ends) > 2:
            last = topology.routers - 1
            raise ConfigurationError(
                f"{topology.name}: dead must be {DEAD.rule}, of routers 0..{last} "
                f"(@{topology.router_label(0)}..@{topology.router_label(last)}), not {word!r}"
            )
        yield word, numbers


def _router(topology: Topology, labels: dict[str, int], word: str) -> int | None:
    """Router that a word names; None for none."""
    if word.startswith("@"):
        return labels.get(word[1:])
    return parse_index(word, topology.routers)


def dead_ports(topology: Topology, parts: DeadParts) -> np.ndarray:
    """Whether each port's link is dead, or leads to a dead router; bool of (routers, ports)."""
    near = topology.neighbours
    dead = np.isin(near, parts.routers) & (near >= 0)
    dead[list(parts.routers)] = True
    for a, b in parts.links:
        dead[a] |= near[a] == b
        dead[b] |= near[b] == a
    return dead


class AnyTopology(Kind):
    """Any topology."""

    rule = "a topology"

    def accepts(self, value: object) -> bool:
        """Whether it is one."""
        return isinstance(value, Topology)


@dataclass(frozen=True, kw_only=True, repr=False)
class Surviving(Topology):
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

    unaltered: Topology = parameter(  # noqa: RUF009 - as every field
        AnyTopology(), help="network before links and routers fail"
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
                f"{self.name}: dead must leave every router reachable from every other, not {end} "
                f"without a path from {start}"
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
