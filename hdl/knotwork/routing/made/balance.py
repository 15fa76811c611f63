"""Ways chosen so that the fullest link carries little: rounded from the program, then improved."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...progress import progress
from ...topology import Topology
from ..compiled.tables import CLASSES
from ..table_file.bound_table import CELL_LIMIT, BoundTable
from .bound import LoadBound
from .ranks import Ranks, layered
from .tables import MadeTable, narrowed, nodes_of

CLOSE, AIM, FAR = 1.05, 1.02, 1.5
"""Load of the fullest link over its bound: with which no more classes are tried; aimed at; with
which no other order is tried for as many classes."""

_PASSES = 160
_STEPS = 2_500_000_000  # of all passes, about
_SHARPS = 8.0, 60.0  # of the first pass and the last


class _Plan(NamedTuple):
    fullest: float
    after: np.ndarray
    start: np.ndarray
    ranks: Ranks


def balanced_table(
    topology: Topology,
    weights: np.ndarray,
    bound: LoadBound,
    orders: list[np.ndarray],
    *,
    seed: int,
    owner: str,
) -> MadeTable:
    """Table whose fullest link carries as little as is found, with the fewest classes.

    Parameters
    ----------
    topology : Topology
        Network.
    weights : ndarray
        Flits per cycle between routers, float64 (routers, routers).
    bound : LoadBound
        Bound of the fullest link's load.
    orders : list of ndarray
        Orders of the routers from which ranks are made; see `ranks.layered`.
    seed : int
        Of the order in which ways are tried.
    owner : str
        Beginning of an error.
    """
    best: _Plan | None = None
    unit = _unit(weights)
    least = np.ceil(bound.load / unit - 1e-6) * unit + 1e-9
    aim, close = max(AIM * bound.load, least), max(CLOSE * bound.load, least)
    for classes in range(1, CLASSES + 1):
        found = best
        for order in orders:
            ranks = layered(topology, [order] * classes)
            plan = _plan(topology, weights, bound, ranks, aim=aim, seed=seed, owner=owner)
            if plan is not None and (found is None or plan.fullest < found.fullest * 0.99):
                found = plan
            if found is not None and found.fullest <= close:
                return _table(topology, weights, found)
            if plan is not None and plan.fullest > FAR * close:
                break  # other orders are not so much better
        if best is not None and found is best and classes > 2:
            break  # another class gained nothing
        best = found
    if best is None:
        raise ConfigurationError(f"{owner} must have at most {CLASSES} classes, not more")
    return _table(topology, weights, best)


def _unit(weights: np.ndarray) -> float:
    """Largest unit of all flows where they are equal; else nearly 0."""
    flows = weights[weights > 0]
    return float(flows[0]) if len(flows) and np.ptp(flows) < 1e-12 else 1e-12


def _plan(
    topology: Topology,
    weights: np.ndarray,
    bound: LoadBound,
    ranks: Ranks,
    *,
    aim: float,
    seed: int,
    owner: str,
) -> _Plan | None:
    """Best plan that these ranks allow; None where some pair has no way."""
    from .balance_loops import spread

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    routers, channels = len(near), ranks.rank.size
    if routers * channels > CELL_LIMIT // 4:
        raise ConfigurationError(
            f"{owner} must have at most {CELL_LIMIT // 4} states (channel, destination), not "
            f"{routers * channels}"
        )
    hints = np.tile(bound.lengths / max(bound.lengths.max(), 1e-12), (routers, 1)) + 0.01
    if bound.flows is not None:
        hints += bound.flows < 1e-6 * bound.flows.max()  # what the program leaves out
    after = np.full((routers, channels), -2, np.int32)
    start = np.full((routers, routers), -2, np.int32)
    users = np.zeros((routers, channels), np.int32)
    steps = routers * channels * near.shape[1] * ranks.classes * 8  # of a pass
    passes = max(4, min(_PASSES, _STEPS // steps))
    sharps = np.geomspace(*_SHARPS, passes)
    with progress(f"balancing {routers} routers"):
        fullest, after, start = spread(
            near,
            ranks.rank,
            ranks.falling,
            weights,
            hints,
            aim,
            sharps,
            seed,
            np.zeros(near.size),
            after,
            start,
            users,
        )
    served = nodes_of(topology) > 0
    wanted = np.outer(served, served) & ~np.eye(routers, dtype=bool)
    if (start.T[wanted] < 0).any():
        return None
    return _Plan(fullest, after, start, ranks)


def _table(topology: Topology, weights: np.ndarray, plan: _Plan) -> MadeTable:
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
