"""Networks that several tests share: of switches, of deflection routers, and one of a user's."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pytest
from knotwork import Routing, Topology
from knotwork.topology import Baseline, Cm5, FatTree, Lcan, SwBanyan, Trac

COMPLETE = [
    Baseline(levels=3),
    Baseline(levels=5),
    Trac(levels=2),
    Trac(levels=3),
    SwBanyan(f=2, s=3, levels=3),
    SwBanyan(f=3, s=3, levels=2),
    Lcan(d=4, u=2, levels=2),
    Lcan(d=4, u=2, levels=3),
    Lcan(d=4, u=4, levels=2),
    Lcan(d=3, u=1, levels=3),
    Cm5(levels=3),
    Cm5(levels=3, u=(2, 3, 1)),
]
TREES = [
    Lcan(d=4, u=2, levels=3, interconnect="tree"),
    Lcan(d=3, u=1, levels=3, interconnect="tree"),
    Lcan(d=6, u=2, levels=2, interconnect="tree"),
    FatTree(r=(2, 2, 2, 2), u=(1, 2, 3, 1)),
    FatTree(r=(3, 2, 4), u=(2, 5, 1)),
    Lcan(d=5, u=7, levels=1),
]
every = pytest.mark.parametrize(
    "topology", [*COMPLETE, *TREES], ids=lambda topology: topology.instance_name
)
complete = pytest.mark.parametrize(
    "topology", COMPLETE, ids=lambda topology: topology.instance_name
)


HOPLITE = "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no"
"""One-way torus, routed by the rule of HopliteRT."""

FAMILIES = (
    "torus:x=6,y=4,directions=one,ring_code=johnson,router=deflection",
    "torus:x=4,y=3,router=deflection",
    "mesh:x=4,y=3,router=deflection",
    "hypercube:n=4,router=deflection",
    "moebius:n=4,twist=1,router=deflection",
    "moebius:n=3,routing=spr,router=deflection",
    "ccc:n=3,router=deflection",
    "tcpg:k=1,m=1,router=deflection",
    "petersen:router=deflection",
    "rp:k=3,router=deflection",
)
"""One network per family and routing whose packets can be deflected, except `wk`."""


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
