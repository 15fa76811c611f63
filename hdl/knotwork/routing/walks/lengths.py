# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Lengths of the walks of all pairs under a routing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base import Routing
from ..compiled_rules import call_rule, kept_on_disk, rule_address


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
    """Summary of `Routing.walk_lengths` beside the distances of the same pairs."""
    pairs = len(lengths) * (len(lengths) - 1)
    return WalkLengths(
        mean=int(lengths.sum()) / max(pairs, 1),
        max=int(lengths.max()),
        nonminimal=int((lengths > distances).sum()),
    )


def walk_lengths(routing: Routing) -> np.ndarray:
    """Hops of the walk for every (source, destination), int32 (nodes, nodes).

    Raises
    ------
    ConfigurationError
        The rule never arrives.
    """
    nodes = routing.topology.nodes
    lengths = np.zeros((nodes, nodes), np.int32)
    peers = np.ascontiguousarray(routing.topology.peer_ports)
    source, destination = _walk(
        rule_address(routing.rule),
        np.ascontiguousarray(routing.parameters, np.int64),
        routing.topology.neighbours,
        peers,
        routing.classes,
        lengths,
    )
    if source >= 0:
        routing.hops(source, destination)  # refuses the loop
    return lengths


@kept_on_disk(Path(__file__))
def _walk(rule, parameters, neighbours, peer_ports, classes, lengths):
    for source in range(len(lengths)):
        for destination in range(len(lengths)):
            router, port, vc_class, hops = source, 0, 0, 0
            while True:
                output, vc_class = call_rule(
                    rule, parameters.ctypes.data, router, port, vc_class, destination
                )
                if output == 0:
                    break
                if hops > len(neighbours) * classes:
                    return source, destination
                port = peer_ports[router, output]
                router = neighbours[router, output]
                hops += 1
            lengths[source, destination] = hops
    return -1, -1
