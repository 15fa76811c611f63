"""Paths of all pairs by any rule: their links, and what the links carry."""

from typing import Any

import numpy as np

from ...topology import Topology
from ..base import Routing


def all_paths(routing: Routing) -> np.ndarray:
    """Links of the paths of all pairs of distinct nodes, int32 (pairs, hops), -1 behind the last.

    A link is ``router * ports + port``.
    """
    from .loops import follow_links

    topology, nodes = routing.topology, routing.topology.nodes
    most = int(routing.walk_lengths().max(initial=0))
    paths = np.full((nodes, nodes, max(most, 1)), -1, np.int32)
    follow_links(*_followed(routing), np.zeros(topology.neighbours.size), np.zeros((1, 1)), paths)
    return paths[~np.eye(nodes, dtype=bool)]


def link_load(routing: Routing, flits: np.ndarray) -> np.ndarray:
    """What each link carries, float64 (routers * ports,).

    Parameters
    ----------
    routing : Routing
        Routing.
    flits : ndarray
        Flits per cycle between nodes, float64 (nodes, nodes), or (1, 1) for the same of all pairs.
    """
    from .loops import follow_links

    load = np.zeros(routing.topology.neighbours.size)
    follow_links(*_followed(routing), load, flits, np.zeros((0, 0, 0), np.int32))
    return load


def _followed(routing: Routing) -> tuple[Any, ...]:
    topology: Topology = routing.topology
    routers, ports = topology.node_ports_table
    return (
        *routing.compiled_rule,
        np.ascontiguousarray(topology.neighbours, np.int32),
        np.ascontiguousarray(topology.peer_ports, np.int32),
        routers,
        ports,
        topology.local_ports,
    )
