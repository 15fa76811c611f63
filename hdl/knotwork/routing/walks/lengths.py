"""Lengths of the walks of all pairs under a routing."""

from dataclasses import dataclass

import numpy as np

from ..routing_rule import RoutingRule


@dataclass(frozen=True)
class WalkLengths:
    """Lengths of the walks between ordered pairs of distinct nodes, in hops between routers.

    Members
    -------
    mean : float
        Their mean.
    max : int
        The longest.
    nonminimal : int
        Pairs whose walk is longer than their distance.
    """

    mean: float
    max: int
    nonminimal: int


def summary(lengths: np.ndarray, distances: np.ndarray) -> WalkLengths:
    """Summary of `Routing.walk_lengths`, compared with the distances of the same pairs."""
    pairs = len(lengths) * (len(lengths) - 1)
    return WalkLengths(
        mean=int(lengths.sum()) / max(pairs, 1),
        max=int(lengths.max()),
        nonminimal=int((lengths > distances).sum()),
    )


def walk_lengths(routing: RoutingRule) -> np.ndarray:
    """Hops of the walk for every (source, destination), int32 (nodes, nodes).

    Raises
    ------
    ConfigurationError
        The rule never arrives.
    """
    from .loops import measure_walks

    nodes = routing.topology.nodes
    lengths = np.zeros((nodes, nodes), np.int32)
    peers = np.ascontiguousarray(routing.topology.peer_ports)
    source, destination = measure_walks(
        *routing.loop_rule,
        routing.topology.neighbours,
        peers,
        routing.topology.node_ports_table,
        routing.topology.local_ports,
        routing.classes,
        lengths,
    )
    if source >= 0:
        routing.hops(source, destination)  # raises the error
    return lengths
