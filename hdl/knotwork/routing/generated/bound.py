"""Least load of the fullest link that any routing can have, by linear programming.

Every routing, even one that splits flows over many ways, is a flow to each destination. The dual of
the program gives the links lengths, and any lengths prove a bound: what all packets must cross at
least, by these lengths, is at most the sum of all lengths times the load of the fullest link.

References
----------
F. Shahrokhi and D. W. Matula, "The maximum concurrent flow problem", J. ACM 37(2), 1990.
"""

from typing import Any, NamedTuple

import numpy as np

from ...topology import Topology

COLUMN_LIMIT = 50_000
"""Flows (link, destination) up to which the linear program is solved; beyond, lengths are tried."""

_ROUNDS = 300  # in which lengths are tried,
_STEPS = 3_000_000_000  # routers compared in them, about
_STEP = 0.3  # first change of a length


class LoadBound(NamedTuple):
    """Bound of the load of the fullest link.

    Members
    -------
    load : float
        No routing has less on its fullest link, in flits per cycle.
    lengths : ndarray
        Lengths of the links that prove it, float64 (routers * ports,), 0 where there is no link.
    flows : ndarray or None
        Flow to each router over each link in the program's optimum, float64 (routers, routers *
        ports); None where no program was solved.
    """

    load: float
    lengths: np.ndarray
    flows: np.ndarray | None

    @property
    def by(self) -> str:
        """How it was found, in words."""
        return "lengths of links" if self.flows is None else "linear program"


def load_bound(topology: Topology, weights: np.ndarray) -> LoadBound:
    """Bound for packets between routers.

    Parameters
    ----------
    topology : Topology
        Network.
    weights : ndarray
        Flits per cycle between routers, float64 (routers, routers); what stays at a router, and
        what is below 0, counts for nothing.
    """
    near = np.ascontiguousarray(topology.neighbours, np.int32)
    wanted = np.maximum(weights, 0.0)
    np.fill_diagonal(wanted, 0.0)
    links = np.flatnonzero(near.ravel() >= 0)
    targets = np.flatnonzero(wanted.any(axis=0))
    if not len(targets):
        return LoadBound(0.0, np.zeros(near.size), None)
    if len(links) * len(targets) > COLUMN_LIMIT:
        lengths, flows = _lengthened(near, wanted), None
    else:
        lengths, flows = _solved(near, wanted, links, targets)
    return LoadBound(proven_load(near, lengths, wanted), lengths, flows)


def proven_load(near: np.ndarray, lengths: np.ndarray, wanted: np.ndarray) -> float:
    """Load that these lengths prove, whatever found them."""
    from .balance_loops import add_shortest_ways

    lengths = np.maximum(lengths, 0.0)
    crossed = add_shortest_ways(near, lengths, wanted, np.zeros(near.size))
    return float(crossed / lengths.sum())


def _solved(
    near: np.ndarray, wanted: np.ndarray, links: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and flows of the program's optimum, by HiGHS."""
    import highspy
    from highspy._core import _Highs

    routers, ports = near.shape
    tail, head = links // ports, near.ravel()[links]
    columns = len(links) * len(targets)
    link = np.tile(np.arange(len(links)), len(targets))
    row = np.repeat(np.arange(len(targets)) * routers, len(links))
    fullest = len(targets) * routers  # the first row of the links
    full = np.arange(len(links))
    rows = np.concatenate([row + tail[link], row + head[link], fullest + link, fullest + full])
    column = np.concatenate([np.tile(np.arange(columns), 3), np.full(len(links), columns)])
    values = np.concatenate([np.repeat([1.0, -1.0, 1.0], columns), np.full(len(links), -1.0)])
    order = np.argsort(column, kind="stable")
    lower = np.concatenate([wanted.T[targets].ravel(), np.full(len(links), -np.inf)])
    upper = np.concatenate([wanted.T[targets].ravel(), np.zeros(len(links))])
    ends = np.arange(len(targets)) * routers + targets
    lower[ends], upper[ends] = -np.inf, np.inf
    most = np.full(columns + 1, np.inf)
    most[:-1][tail[link] == np.repeat(targets, len(links))] = 0.0
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = columns + 1, len(lower)
    program.col_cost_ = np.append(np.zeros(columns), 1.0)
    program.col_lower_, program.col_upper_ = np.zeros(columns + 1), most
    program.row_lower_, program.row_upper_ = lower, upper
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.searchsorted(column[order], np.arange(columns + 2))
    program.a_matrix_.index_, program.a_matrix_.value_ = rows[order], values[order]
    solver: Any = _Highs()  # the class above it prints a banner when it is made
    options = {"output_flag": False, "solver": "ipm", "run_crossover": "off", "threads": 1}
    for option, value in options.items():
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    found = solver.getSolution()
    lengths, flows = np.zeros(near.size), np.zeros((routers, near.size))
    lengths[links] = -np.array(found.row_dual)[fullest:]
    flows[np.ix_(targets, links)] = np.array(found.col_value)[:-1].reshape(len(targets), -1)
    return lengths, flows


def _lengthened(near: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Lengths that prove the most of those of many rounds.

    Each round sends everything by the shortest ways, and lengthens the links that carry more than
    the mean: a subgradient in the lengths' logarithms, with steps that become shorter.
    """
    from .balance_loops import add_shortest_ways

    linked = near.ravel() >= 0
    lengths, best, kept = linked.astype(np.float64), 0.0, linked.astype(np.float64)
    rounds = max(10, min(_ROUNDS, _STEPS // (len(near) ** 2 * len(near))))
    for number in range(rounds):
        load = np.zeros(near.size)
        proven = add_shortest_ways(near, lengths, wanted, load) / lengths.sum()
        if proven > best:
            best, kept = proven, lengths.copy()
        over = np.clip(load / load[linked].mean() - 1.0, -2.0, 2.0)
        lengths = np.where(linked, lengths * np.exp(_STEP / np.sqrt(number + 1) * over), 0.0)
        lengths /= lengths.max()
    return kept
