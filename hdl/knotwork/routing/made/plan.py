"""Ways between all routers, spread over the links by a local search, and their table."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..table_file.bound_table import CELL_LIMIT, BoundTable
from .ranks import Ranks
from .tables import MadeTable, narrowed

STATE_LIMIT = CELL_LIMIT // 4
"""States (channel, destination) up to which ways are spread."""
ANY_LENGTH = np.zeros((0, 0), np.int32)
"""In place of distances: ways may be longer than these."""
NO_HINTS = np.zeros((0, 0))
"""In place of hints: the first ways avoid the load of earlier ones."""

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


def plan_table(topology: Topology, weights: np.ndarray, plan: Plan) -> MadeTable:
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
    bound = BoundTable(narrowed(entries, topology), classes)
    return MadeTable(bound, lengths, load.reshape(near.shape))
