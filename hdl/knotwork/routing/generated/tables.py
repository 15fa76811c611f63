"""Tables of the best paths that ranks allow, plans that spread paths, and paths of any rule."""

from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..base import Routing
from ..compiled.tables import CLASSES
from ..table_file import CELL_LIMIT, BoundTable, add_ejections
from .bounds import least_classes
from .ranks import UNUSED, Ranks


def all_paths(routing: Routing, drawn: int = 0) -> np.ndarray:
    """Links of the paths of all pairs of distinct nodes, int32 (pairs, hops), -1 behind the last.

    A link is ``router * ports + port``. `drawn` is the number that each source has drawn.
    """
    from .loops import follow_links

    topology, nodes = routing.topology, routing.topology.nodes
    most = int(routing.walk_lengths().max(initial=0))
    paths = np.full((nodes, nodes, max(most, 1)), -1, np.int32)
    load = np.zeros(topology.neighbours.size)
    follow_links(*_followed(routing), drawn, load, np.zeros((1, 1)), paths)
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
    for drawn in range(routing.draws):
        share = flits / routing.draws
        follow_links(*_followed(routing), drawn, load, share, np.zeros((0, 0, 0), np.int32))
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
        routing.written_numbers,
    )


_TARGETS_A_CALL = 16
"""Routers to which a compiled loop finds paths before Python may show progress or interrupt it."""

_SAMPLE = 128
"""Routers to which paths are sought for a first look at their load."""


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
    """Table of the shortest paths that ranks allow, spread over the links.

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
    """Load of the fullest link by the shortest paths to some of the routers, evenly chosen.

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
        """Fill in the best paths to some routers; later ones avoid the load of earlier ones."""
        from .loops import TableScratch, fill_table

        fill_table(
            *self._links,
            self._ranks.rank.ravel(),
            self._order,
            self._own,
            targets,
            self._weights,
            self.load,
            self.entries,
            self.lengths,
            TableScratch.of(self._ranks.rank.size),
        )


def narrow(entries: np.ndarray, topology: Topology) -> np.ndarray:
    """Entries with one port, or one class, where the paths do not depend on it."""
    for axis in (1, 2):
        highest = entries.max(axis=axis, keepdims=True)
        if ((entries < 0) | (entries == highest)).all():
            entries = highest
    add_ejections(entries, topology)
    return entries


STATE_LIMIT = CELL_LIMIT // 4
"""States (channel, destination) up to which paths are spread."""
ANY_LENGTH = np.zeros((0, 0), np.int32)
"""In place of distances: paths may be longer than these."""
NO_HINTS = np.zeros((0, 0))
"""In place of hints: the first paths avoid the load of earlier ones."""

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
        Ranks that the paths rise in.
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
    """Best plan that is found for these ranks; None where they leave some pair without a path.

    Parameters
    ----------
    hints : ndarray
        Lengths of the links in the first paths, by destination.
    distances : ndarray
        Hops between routers, where paths must be minimal.
    aim : float
        Load of the fullest link with which the search ends.
    passes : int
        Most passes over all paths.

    Raises
    ------
    ConfigurationError
        The network is too large.
    """
    from .loops import spread

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
        best = after.copy(), start.copy()
        fullest = spread(
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
            best,
        )
    after, start = best
    if (start.T[weights >= 0] < 0).any():
        return None
    return Plan(fullest, after, start, ranks)


def plan_table(topology: Topology, weights: np.ndarray, plan: Plan) -> GeneratedTable:
    """Table of a plan."""
    from .loops import fill_plan

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
    """Ranks with fewer classes in which all paths of a table rise; None where none are found.

    The paths stay within these ranks, but not all at once: where two of them meet in a channel, a
    table leads both on by one path.
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
