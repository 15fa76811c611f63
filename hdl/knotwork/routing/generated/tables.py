"""Tables of the best ways that ranks allow."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..table_file.bound_table import CELL_LIMIT, BoundTable, add_ejections
from .ranks import Ranks

_TARGETS_A_CALL = 16
"""Routers to which a compiled loop finds ways before Python may show progress or be interrupted."""

_SAMPLE = 128
"""Routers to which ways are sought for a first look at their load."""


class GeneratedTable(NamedTuple):
    """Table, and facts of its paths.

    Members
    -------
    bound : BoundTable
        Entries.
    lengths : ndarray
        Hops of the paths between routers with nodes, int32 (routers, routers); -1 where none leads.
    load : ndarray
        What each link carries, float64 (routers, ports).
    """

    bound: BoundTable
    lengths: np.ndarray
    load: np.ndarray


def nodes_of(topology: Topology) -> np.ndarray:
    """Nodes of each router, int64."""
    return (topology.local_nodes >= 0).sum(axis=1)


def uniform_flits(topology: Topology) -> np.ndarray:
    """Flits per cycle between routers where each node sends one, to every other alike, float64.

    Below 0 where no packets go: at a router, and between routers without nodes.
    """
    count = nodes_of(topology).astype(np.float64)
    return only_between_nodes(topology, np.outer(count, count) / max(topology.nodes - 1, 1))


def only_between_nodes(topology: Topology, weights: np.ndarray) -> np.ndarray:
    """Flits between routers, -1 where no packets go."""
    has_nodes = nodes_of(topology) > 0
    pairs = np.outer(has_nodes, has_nodes) & ~np.eye(topology.routers, dtype=bool)
    return np.where(pairs, weights, -1.0)


def best_table(
    topology: Topology, ranks: Ranks, weights: np.ndarray, *, owner: str
) -> GeneratedTable:
    """Table of the shortest ways that ranks allow, spread over the links.

    Raises
    ------
    ConfigurationError
        There would be too many entries.
    """
    targets, filler = (
        np.nonzero(nodes_of(topology))[0],
        _TableFiller(topology, ranks, weights, owner),
    )
    with progress(f"routing {topology.routers} routers", total=len(targets)) as advance:
        for first in range(0, len(targets), _TARGETS_A_CALL):
            batch = targets[first : first + _TARGETS_A_CALL]
            filler.fill(batch)
            advance(len(batch))
    bound = BoundTable(narrow(filler.entries, topology), ranks.classes)
    return GeneratedTable(bound, filler.lengths, filler.load)


def sampled_load(topology: Topology, ranks: Ranks, weights: np.ndarray, *, owner: str) -> float:
    """Load of the fullest link by the shortest ways to some of the routers, evenly chosen.

    Raises
    ------
    ConfigurationError
        There would be too many entries.
    """
    targets, filler = (
        np.nonzero(nodes_of(topology))[0],
        _TableFiller(topology, ranks, weights, owner),
    )
    sample = np.linspace(0, len(targets) - 1, min(_SAMPLE, len(targets))).astype(np.int64)
    filler.fill(targets[sample])
    return float(filler.load.max())


class _TableFiller:
    """Table that is filled by routers of destination, and what its links carry."""

    def __init__(self, topology: Topology, ranks: Ranks, weights: np.ndarray, owner: str) -> None:
        routers, ports = topology.neighbours.shape
        shape = routers, ports, ranks.classes, topology.nodes
        if np.prod(shape, dtype=np.int64) > CELL_LIMIT:
            raise ConfigurationError(
                f"{owner} must have at most {CELL_LIMIT} states (router, port, class, "
                f"destination), not {' x '.join(map(str, shape))}"
            )
        self.entries = np.full(shape, -1, np.int16)
        self.lengths = np.full((routers, routers), -1, np.int32)
        self.load = np.zeros((routers, ports))
        self._links = [
            np.ascontiguousarray(links, np.int32)
            for links in (topology.neighbours, topology.peer_ports)
        ]
        self._ranks, self._order = ranks, ranks.falling
        self._own, self._weights = topology.local_nodes, weights

    def fill(self, targets: np.ndarray) -> None:
        """Fill in the best ways to some routers; later ones avoid the load of earlier ones."""
        from .loops import fill_table

        fill_table(
            *self._links,
            self._ranks.rank,
            self._order,
            self._own,
            targets,
            self._weights,
            self.load,
            self.entries,
            self.lengths,
        )


def narrow(entries: np.ndarray, topology: Topology) -> np.ndarray:
    """Entries with one port, or one class, where the ways do not depend on it."""
    for axis in (1, 2):
        highest = entries.max(axis=axis, keepdims=True)
        if ((entries < 0) | (entries == highest)).all():
            entries = highest
    add_ejections(entries, topology)
    return entries
