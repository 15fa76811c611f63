"""Links as drawings and graph files show them: each once, with the boxes at its ends."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..topology import Topology


def nodes_at_ports(topology: Topology) -> np.ndarray:
    """Node with a box of its own behind each port, int32 of shape (routers, ports); -1 for none.

    Nodes have boxes of their own unless each router serves the one of its number.
    """
    nodes = topology.attached
    if not (nodes >= 0).any() and not topology.is_one_to_one:
        nodes = nodes.copy()
        nodes[:, : topology.local_ports] = topology.local_nodes
    return nodes


def has_node_boxes(topology: Topology) -> bool:
    """Whether nodes have boxes beside those of routers, and links to them."""
    return bool((nodes_at_ports(topology) >= 0).any())


def box_of(topology: Topology, node: int) -> int:
    """Box of a node: its router's, or its own box, numbered after those of the routers."""
    return topology.routers + node if has_node_boxes(topology) else topology.router_of(node)


@dataclass(frozen=True)
class Link:
    """Link as it is drawn.

    Members
    -------
    ends : (int, int)
        The two boxes: routers, or a router and a node.
    ports : (int, int)
        Port at each end; a node's links are numbered from 0.
    port : int
        Port that names it: the lower one, or the router's if the link leads to a node; -1 where
        only its mark does.
    kind : int
        Kind that colours it (`Topology.link_kinds`); 0 if it leads to a node.
    marked : bool
        Whether the topology marks it as special (`Topology.is_link_marked`).
    latency : int
        Cycles that a flit is on it.
    begin : (int, int)
        Router and port that its `id` in a picture names; (-1, -1) where it has none.
    """

    ends: tuple[int, int]
    ports: tuple[int, int]
    port: int
    kind: int
    marked: bool
    latency: int = 1
    begin: tuple[int, int] = (-1, -1)

    @property
    def id(self) -> str:
        """Name of its element in a picture; empty for none."""
        router, port = self.begin
        return f"link-{router}-{port}" if router >= 0 else ""


def links_of(topology: Topology) -> list[Link]:
    """Every link between routers once, from its lower router; then the links to nodes.

    A one-way link stands at the router that sends.
    """
    neighbours, peers = topology.neighbours, topology.peer_ports
    latency = topology.link_latency
    links = []
    for router, port in np.argwhere(neighbours >= 0).tolist():
        far, far_port = int(neighbours[router, port]), int(peers[router, port])
        if topology.is_one_way or (router, port) < (far, far_port):
            marked = topology.is_link_marked(router, port)
            ports, kind = (port, far_port), topology.link_kind(router, port)
            cycles = 1 if latency is None else int(latency[router, port])
            ends, begin = (router, far), (router, port)
            links.append(Link(ends, ports, min(ports), kind, marked, cycles, begin))
    used: Counter[int] = Counter()
    nodes = nodes_at_ports(topology)
    for router, port in np.argwhere(nodes >= 0).tolist():
        node = int(nodes[router, port])
        ends, ports = (router, topology.routers + node), (port, used[node])
        links.append(Link(ends, ports, port, kind=0, marked=False, begin=(router, port)))
        used[node] += 1
    return links
