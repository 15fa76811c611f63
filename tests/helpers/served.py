"""A user's network whose routers serve two nodes, one or none, and whose links lead one way."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from knotwork import Routing, Topology

_LINKS = ((0, "a", 2, "a"), (2, "b", 1, "b"), (1, "b", 2, "b"), (1, "a", 0, "b"))
_NODES = ((0, 0), (0, 1), (2, 0))
"""Router and local port of each node."""


class Nearest(Routing):
    """Shortest ways, found by search."""

    name: ClassVar[str] = "nearest"

    @cached_property
    def _ways(self):
        """Port by (router, router of the destination)."""
        near = self.topology.neighbours
        hops = np.where(np.eye(len(near), dtype=bool), 0, len(near))
        ways = np.zeros(hops.shape, int)
        for _ in near:
            for router, port in np.argwhere(near >= 0).tolist():
                through = hops[near[router, port]] + 1
                ways[router] = np.where(through < hops[router], port, ways[router])
                hops[router] = np.minimum(through, hops[router])
        return ways

    def rule(self, parameters, router, port, channel_class, destination):
        end = self.topology.router_of(destination)
        if router == end:
            return self.topology.node_port(destination), 0
        return int(self._ways[router, end]), 0


@dataclass(frozen=True, kw_only=True)
class Served(Topology):
    """Three routers: the first serves two nodes, the second none, the third one."""

    name: ClassVar[str] = "served"
    routings: ClassVar[tuple[type, ...]] = (Nearest,)
    ports: ClassVar[tuple[str, ...]] = ("local0", "local1", "a", "b")
    nodes: ClassVar[int] = len(_NODES)
    routers: ClassVar[int] = 3
    local_ports: ClassVar[int] = 2
    is_one_way: ClassVar[bool] = True

    def router_of(self, node):
        return _NODES[node][0]

    def node_port(self, node):
        return _NODES[node][1]

    def router_label(self, router):
        return f"r{router}"

    @cached_property
    def _tables(self):
        tables = np.full((2, self.routers, len(self.ports)), -1, np.int32)
        for router, port, far, into in _LINKS:
            tables[:, router, self.ports.index(port)] = far, self.ports.index(into)
        return tables

    @property
    def neighbours(self):
        return self._tables[0]

    @property
    def peer_ports(self):
        return self._tables[1]
