"""Ways between all routers, spread over the links by a local search, and their table."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..compiled.tables import CLASSES
from ..table_file.bound_table import CELL_LIMIT, BoundTable
from .least import least_classes
from .ranks import UNUSED, Ranks
from .tables import GeneratedTable, narrow

STATE_LIMIT = CELL_LIMIT // 4
"""States (channel, destination) up to which ways are spread."""
ANY_LENGTH = np.zeros((0, 0), np.int32)
"""In place of distances: ways may be longer than these."""
NO_HINTS = np.zeros((0, 0))
"""In place of hints: the first ways avoid the load of earlier ones."""

FEWER_LIMIT = 32
"""Routers up to which fewer classes are looked for by SAT."""

_CONFLICTS = 1000  # of the solver there
_STEPS = 2_500_000_000  # of all passes, about
_SHARPS = 8.0, 60.0  # of the first pass and the last


class Plan(NamedTuple):
    """Ways between all routers.

    Members
    -------
    fullest : float
        Load of the fullest link.
    after, start : ndarray
        Channel after each, and each router's first one, by destination; see `balance_loops`.
    ranks : Ranks
        Ranks that the ways rise in.
    """

    fullest: float
    after: np.ndarray
    start: np.ndarray
    ranks: Ranks


def spread_plan(
    topology: Topology,
    weights: np.ndarray,
    ranks: Ranks,
    *,
    hints: np.ndarray = NO_HINTS,
    distances: np.ndarray = ANY_LENGTH,
    aim: float,
    passes: int,
    seed: int,
    owner: str,
) -> Plan | None:
    """Best plan that is found for these ranks; None where they leave some pair without a way.

    Parameters
    ----------
    hints : ndarray
        Lengths of the links in the first ways, by destination.
    distances : ndarray
        Hops between routers, where ways must be minimal.
    aim : float
        Load of the fullest link with which the search ends.
    passes : int
        Most passes over all ways.

    Raises
    ------
    ConfigurationError
        The network is too large.
    """
    from .balance_loops import spread

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    routers, channels = len(near), ranks.rank.size
    if routers * channels > STATE_LIMIT:
        raise ConfigurationError(
            f"{owner} must have at most {STATE_LIMIT} states (channel, destination), not "
            f"{routers * channels}"
        )
    after, start = (np.full((routers, size), -2, np.int32) for size in (channels, routers))
    users = np.zeros_like(after)
    steps = routers * channels * near.shape[1] * ranks.classes * 8  # of a pass
    sharps = np.geomspace(*_SHARPS, max(4, min(passes, _STEPS // steps)))
    with progress(f"balancing {routers} routers"):
        fullest, after, start = spread(
            near,
            ranks.rank,
            ranks.falling,
            weights,
            hints,
            distances,
            aim,
            sharps,
            seed,
            (np.zeros(near.size), after, start, users),
        )
    if (start.T[weights >= 0] < 0).any():
        return None
    return Plan(fullest, after, start, ranks)


def plan_table(topology: Topology, weights: np.ndarray, plan: Plan) -> GeneratedTable:
    """Table of a plan."""
    from .balance_loops import fill_plan

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    peers = np.ascontiguousarray(topology.peer_ports, np.int32)
    classes, load = plan.ranks.classes, np.zeros(near.size)
    entries = np.full((*near.shape, classes, topology.nodes), -1, np.int16)
    lengths = np.zeros((len(near), len(near)), np.int32)
    fill_plan(
        near,
        peers,
        topology.local_nodes,
        weights,
        classes,
        plan.after,
        plan.start,
        load,
        entries,
        lengths,
    )
    bound = BoundTable(narrow(entries, topology), classes)
    return GeneratedTable(bound, lengths, load.reshape(near.shape))


def fewer_classes(topology: Topology, generated: GeneratedTable) -> Ranks | None:
    """Ranks with fewer classes in which all ways of a table rise; None where none are found.

    The ways stay within these ranks, but not all at once: where two of them meet in a channel, a
    table leads both on by one way.
    """
    classes = generated.bound.classes
    if classes == 1 or topology.routers > FEWER_LIMIT:
        return None
    paths = table_paths(topology, generated)
    found = least_classes(paths, classes, conflicts=_CONFLICTS)
    if found.high == classes or found.rank is None:
        return None
    near = topology.neighbours
    rank = np.full((near.size, found.high), UNUSED, np.int32)
    rank[: len(found.rank)] = found.rank
    return Ranks(rank.reshape(*near.shape, found.high))


def table_paths(topology: Topology, generated: GeneratedTable) -> np.ndarray:
    """Links between routers with nodes by a table, int64 (pairs, hops), -1 behind the last."""
    entries, near, peers = generated.bound.entries, topology.neighbours, topology.peer_ports
    served = np.flatnonzero(topology.local_nodes.max(axis=1) >= 0)
    source, target = (ends.ravel() for ends in np.meshgrid(served, served, indexing="ij"))
    source, target = source[source != target], target[source != target]
    node = topology.local_nodes.max(axis=1)[target]
    router, port, vc_class = source, np.zeros_like(source), np.zeros_like(source)
    columns = []
    while (goes := router != target).any():
        place = port * (entries.shape[1] > 1), vc_class * (entries.shape[2] > 1)
        entry = entries[router, *place, node].astype(np.int64)
        output, vc_class = np.where(goes, entry // CLASSES, 0), entry % CLASSES
        columns.append(np.where(goes, router * near.shape[1] + output, -1))
        port, router = (
            np.where(goes, ends[router, output], old)
            for ends, old in ((peers, port), (near, router))
        )
    return np.stack(columns, axis=1) if columns else np.zeros((len(source), 0), np.int64)
