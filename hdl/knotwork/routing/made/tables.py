"""Tables of the best ways that ranks allow."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..table_file.bound_table import CELL_LIMIT, BoundTable, end_packets
from .ranks import Ranks

_TARGETS_A_CALL = 16
"""Routers to which a compiled loop finds ways before Python may show progress or be interrupted."""


class MadeTable(NamedTuple):
    """Table with what is known of its ways.

    Members
    -------
    bound : BoundTable
        Entries.
    lengths : ndarray
        Hops of the ways between routers with nodes, int32 (routers, routers); -1 where none leads.
    load : ndarray
        What each link carries, float64 (routers, ports).
    """

    bound: BoundTable
    lengths: np.ndarray
    load: np.ndarray


def nodes_of(topology: Topology) -> np.ndarray:
    """Nodes of each router, int64."""
    return (topology.local_nodes >= 0).sum(axis=1)


def uniform(topology: Topology) -> np.ndarray:
    """Flits per cycle between routers where each node sends one, to every other alike, float64.

    Below 0 where no packets go: at a router, and between routers without nodes.
    """
    count = nodes_of(topology).astype(np.float64)
    return served(topology, np.outer(count, count) / max(topology.nodes - 1, 1))


def served(topology: Topology, weights: np.ndarray) -> np.ndarray:
    """Flits between routers, -1 where no packets go."""
    has_nodes = nodes_of(topology) > 0
    pairs = np.outer(has_nodes, has_nodes) & ~np.eye(topology.routers, dtype=bool)
    return np.where(pairs, weights, -1.0)


def best_table(topology: Topology, ranks: Ranks, weights: np.ndarray, *, owner: str) -> MadeTable:
    """Table of the shortest ways that ranks allow, spread over the links.

    Raises
    ------
    ConfigurationError
        There would be too many entries.
    """
    from .loops import fill_table

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    shape = (*near.shape, ranks.classes, topology.nodes)
    if np.prod(shape, dtype=np.int64) > CELL_LIMIT:
        raise ConfigurationError(
            f"{owner} must have at most {CELL_LIMIT} states (router, port, class, destination), "
            f"not {' x '.join(map(str, shape))}"
        )
    entries = np.full(shape, -1, np.int16)
    lengths = np.full((len(near), len(near)), -1, np.int32)
    load = np.zeros(near.shape)
    targets, order = np.nonzero(nodes_of(topology))[0], ranks.falling
    peers = np.ascontiguousarray(topology.peer_ports, np.int32)
    with progress(f"routing {len(near)} routers", total=len(targets)) as advance:
        for first in range(0, len(targets), _TARGETS_A_CALL):
            some = targets[first : first + _TARGETS_A_CALL]
            fill_table(
                near,
                peers,
                ranks.rank,
                order,
                topology.local_nodes,
                some,
                weights,
                load,
                entries,
                lengths,
            )
            advance(len(some))
    return MadeTable(BoundTable(narrowed(entries, topology), ranks.classes), lengths, load)


def narrowed(entries: np.ndarray, topology: Topology) -> np.ndarray:
    """Entries with one port, or one class, where the ways do not depend on it."""
    for axis in (1, 2):
        highest = entries.max(axis=axis, keepdims=True)
        if ((entries < 0) | (entries == highest)).all():
            entries = highest
    end_packets(entries, topology)
    return entries
