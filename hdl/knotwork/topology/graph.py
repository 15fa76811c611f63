"""Networks of any graph, which users provide as files."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..parameters import FromFile, parameter
from .base import Topology, long_links
from .graph_file import GraphFile
from .graph_file.builder import Wiring, wire_links
from .graph_file.graph_file import ENDINGS, force_layout


@dataclass(frozen=True, kw_only=True)
class Graph(Topology):
    """Graph of a file: routers with any links, and nodes on some of them.

    Parameters
    ----------
    file : GraphFile
        Routers, nodes and links, or a file of them.

    References
    ----------
    U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt and M. S. Marshall, "GraphML progress report:
    structural layer proposal", Graph Drawing 2001. N. Jiang et al., BookSim 2, for ``anynet``.
    """

    name: ClassVar[str] = "graph"
    file: GraphFile = parameter(  # noqa: RUF009 - as every field
        FromFile(f"a file ending in {ENDINGS}", GraphFile), help="graph: routers, nodes, links"
    )

    @property
    def nodes(self) -> int:
        """Those of the file."""
        return len(self.file.nodes)

    @property
    def routers(self) -> int:
        """Those of the file."""
        return len(self.file.routers)

    @cached_property
    def local_ports(self) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As many as the most nodes of a router."""
        return int(np.bincount([router for _, router in self.file.nodes]).max())

    def router_of(self, node: int) -> int:
        """Router that serves `node`."""
        return self.file.nodes[node][1]

    def node_port(self, node: int) -> int:
        """Port by which its router serves `node`: in the order of its nodes in the file."""
        return self._node_ports[node]

    @cached_property
    def _node_ports(self) -> list[int]:
        used, found = [0] * self.routers, []
        for _, router in self.file.nodes:
            found.append(used[router])
            used[router] += 1
        return found

    @cached_property
    def ports(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ports of nodes, then ``link0`` and so on: as many as the most links of a router."""
        count = self.local_ports
        nodes = ("local",) if count == 1 else tuple(f"local{port}" for port in range(count))
        links = self._wiring.neighbours.shape[1] - count
        return (*nodes, *(f"link{port}" for port in range(links)))

    @property
    def is_one_way(self) -> bool:
        """Whether a link leads one way only: then each direction of the others counts as a link."""
        return not all(link.two_way for link in self.file.links)

    @cached_property
    def _wiring(self) -> Wiring:
        return wire_links(self.routers, self.file.links, first=self.local_ports)

    @property
    def neighbours(self) -> np.ndarray:
        """Router behind each port, by the order of the file's links."""
        return self._wiring.neighbours

    @property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Port at the other end of each link."""
        return self._wiring.peer_ports

    @cached_property
    def link_latency(self) -> np.ndarray | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Latency of each link in the file."""
        return long_links(self._wiring.latency)

    def label(self, node: int) -> str:
        """Name of a node in the file."""
        return self.file.nodes[node][0]

    def router_label(self, router: int) -> str:
        """Name of a router in the file."""
        return self.file.routers[router]

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Links of a graph are all of a kind."""
        return ("to a node", "link")

    def link_kind(self, router: int, port: int) -> int:
        """The only one of links to routers."""
        del router, port
        return 1

    def layout(self) -> np.ndarray:
        """Routers drawn together by their links; see `force_layout`."""
        return self._places[: self.routers]

    def node_layout(self) -> np.ndarray:
        """Nodes around their routers."""
        return self._places[self.routers :]

    @cached_property
    def _places(self) -> np.ndarray:
        """Places of routers, and of nodes where they have boxes of their own."""
        ends = [(link.first, link.second) for link in self.file.links]
        if self.is_one_to_one:
            return force_layout(self.routers, ends)
        homes = [router for _, router in self.file.nodes]
        ends += zip(homes, range(self.routers, self.routers + self.nodes), strict=True)
        return force_layout(self.routers + self.nodes, ends)

    @property
    def instance_name(self) -> str:
        """Name of the file without its ending."""
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", Path(self.file.name).stem)
        return f"graph_{stem or self.file.digest[:8]}"
