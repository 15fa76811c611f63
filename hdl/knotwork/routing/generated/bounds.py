"""Bounds that no routing can beat: the load of the fullest link, and the number of classes.

The load, by linear programming: every routing, even one that splits flows over many paths, is a
flow to each destination. The dual of the program gives the links lengths, and any lengths prove a
bound: what all packets must cross at least, by these lengths, is at most the sum of all lengths
times the load of the fullest link.

The number of classes, by SAT: with k classes a link has k channels. They are enough for paths if
all channels can be put in an order in which every path only rises, where a packet may choose the
channel of each hop. It loses nothing by taking the first channel of its first link, and the
channels of a link may be numbered by their order; so both are required. The solver chooses the
channels of all paths. Where its choices wait in rings, these are forbidden, and it solves again. A
number is proven least where one fewer is impossible.

References
----------
F. Shahrokhi and D. W. Matula, "The maximum concurrent flow problem", J. ACM 37(2), 1990.
"""

from typing import Any, NamedTuple

import numpy as np

from ...topology import Topology

COLUMN_LIMIT = 50_000
"""Flows (link, destination) up to which the linear program is solved; beyond, lengths are tried."""

_LENGTH_ROUNDS = 300  # in which lengths are tried,
_LENGTH_STEPS = 3_000_000_000  # routers compared in them, about
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
        lengths, flows = _solve_flows(near, wanted, links, targets)
    return LoadBound(proven_load(near, lengths, wanted), lengths, flows)


def proven_load(near: np.ndarray, lengths: np.ndarray, wanted: np.ndarray) -> float:
    """Load that these lengths prove, whatever found them."""
    from .loops import add_shortest_paths

    lengths = np.maximum(lengths, 0.0)
    crossed = add_shortest_paths(near, lengths, wanted, np.zeros(near.size))
    return float(crossed / lengths.sum())


def _solve_flows(
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

    Each round sends everything by the shortest paths, and lengthens the links that carry more than
    the mean: a subgradient in the lengths' logarithms, with steps that become shorter.
    """
    from .loops import add_shortest_paths

    linked = near.ravel() >= 0
    lengths, best, kept = linked.astype(np.float64), 0.0, linked.astype(np.float64)
    rounds = max(10, min(_LENGTH_ROUNDS, _LENGTH_STEPS // (len(near) ** 2 * len(near))))
    for number in range(rounds):
        load = np.zeros(near.size)
        proven = add_shortest_paths(near, lengths, wanted, load) / lengths.sum()
        if proven > best:
            best, kept = proven, lengths.copy()
        over = np.clip(load / load[linked].mean() - 1.0, -2.0, 2.0)
        lengths = np.where(linked, lengths * np.exp(_STEP / np.sqrt(number + 1) * over), 0.0)
        lengths /= lengths.max()
    return kept


CONFLICTS = 5_000
"""Conflicts of the solver after which the number stays unknown; no clock, so answers repeat."""
PATH_LIMIT = 2**17
"""Paths up to which the number is looked for."""

_RING_ROUNDS = 1000  # of forbidden rings


class LeastClasses(NamedTuple):
    """Bounds of the least number of classes for paths.

    Members
    -------
    low, high : int
        Fewer than `low` are impossible; `high` are enough.
    rank : ndarray or None
        Order of the channels with `high` classes, int32 (links, classes), -1 where no path goes;
        None where it was not looked for.
    """

    low: int
    high: int
    rank: np.ndarray | None


class Prefixes(NamedTuple):
    """Beginnings of paths, each once.

    Members
    -------
    link : ndarray
        Last link of each, int64.
    before : ndarray
        The beginning that is a link shorter, int64; -1 for those of one link.
    """

    link: np.ndarray
    before: np.ndarray


def prefixes_of(paths: np.ndarray) -> Prefixes:
    """Beginnings of paths.

    Parameters
    ----------
    paths : ndarray
        Links of each path, int (paths, hops), -1 behind the last.
    """
    links, befores = [], []
    now, count = np.full(len(paths), -1, np.int64), 0
    base = int(paths.max(initial=0)) + 1
    for column in paths.T.astype(np.int64):
        goes = column >= 0
        keys, which = np.unique((now[goes] + 1) * base + column[goes], return_inverse=True)
        links.append(keys % base)
        befores.append(keys // base - 1)
        now[goes] = count + which.reshape(-1)
        count += len(keys)
    empty = np.zeros(0, np.int64)
    return Prefixes(np.concatenate([empty, *links]), np.concatenate([empty, *befores]))


def least_classes(paths: np.ndarray, classes: int, *, conflicts: int | None = None) -> LeastClasses:
    """Least number of classes with which these paths cannot wait in a ring.

    Parameters
    ----------
    paths : ndarray
        Links of each path, int (paths, hops), -1 behind the last; of any number of pairs.
    classes : int
        Number that is enough.
    conflicts : int or None
        Conflicts of the solver after which the number stays unknown; None for `CONFLICTS`.
    """
    conflicts = CONFLICTS if conflicts is None else conflicts
    prefixes = prefixes_of(paths)
    links = int(paths.max(initial=0)) + 1
    follows = np.flatnonzero(prefixes.before >= 0)
    turns = {
        (int(prefixes.link[prefixes.before[place]]), int(prefixes.link[place])) for place in follows
    }
    order = _order(turns, links)
    if order is not None:
        rank = np.full((links, 1), -1, np.int32)
        used = np.unique(prefixes.link)
        rank[used, 0] = order[used]
        return LeastClasses(1, 1, rank)
    if len(paths) > PATH_LIMIT:
        return LeastClasses(2, classes, None)
    for fewer in range(2, classes):
        found = _solve_classes(prefixes, links, fewer, conflicts)
        if found is None:
            return LeastClasses(fewer, classes, None)
        if len(found):
            return LeastClasses(fewer, fewer, found)
    return LeastClasses(max(classes, 2), classes, None)


def _order(edges: set[tuple[int, int]], vertices: int) -> np.ndarray | None:
    """Place of each vertex in an order along all edges, int32; None where they make a ring."""
    import rustworkx as rx

    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from_no_data(list(edges))
    if not rx.is_directed_acyclic_graph(graph):
        return None
    place = np.empty(vertices, np.int32)
    place[list(rx.topological_sort(graph))] = np.arange(vertices)
    return place


class _Problem:
    """Choice of a class for each beginning of a path, as clauses.

    Parameters
    ----------
    prefixes : Prefixes
        Beginnings.
    classes : int
        Classes to choose from.
    """

    def __init__(self, prefixes: Prefixes, classes: int) -> None:
        from pysat.solvers import Glucose4

        self._prefixes, self._classes = prefixes, classes
        self._solver = Glucose4(incr=False)
        self._waits: dict[tuple[int, int], int] = {}  # variable: one channel waits for another
        count = len(prefixes.link)
        self._last = count * (classes - 1)
        for place in range(count):
            if prefixes.before[place] < 0:
                self._solver.add_clause([-self._above(place, 1)])
            for high in range(2, classes):
                self._solver.add_clause([-self._above(place, high), self._above(place, high - 1)])
            if prefixes.before[place] >= 0:
                self._join(int(prefixes.before[place]), place)

    def _above(self, place: int, low: int) -> int:
        """Variable: the class of a beginning is at least `low`, 1.. ."""
        return place * (self._classes - 1) + low

    def _is_not(self, place: int, vc_class: int) -> list[int]:
        """Literals of which one is true where the class is another one."""
        low = [-self._above(place, vc_class)] if vc_class else []
        return low + ([self._above(place, vc_class + 1)] if vc_class + 1 < self._classes else [])

    def _join(self, before: int, place: int) -> None:
        link, after = int(self._prefixes.link[before]), int(self._prefixes.link[place])
        for held in range(self._classes):
            for wanted in range(self._classes):
                edge = link * self._classes + held, after * self._classes + wanted
                if edge not in self._waits:
                    self._last += 1
                    self._waits[edge] = self._last
                literals = self._is_not(before, held) + self._is_not(place, wanted)
                self._solver.add_clause([*literals, self._waits[edge]])

    def solve(self, conflicts: int) -> set[tuple[int, int]] | bool | None:
        """Waits of a model; False where there is none, None where the conflicts were too many."""
        self._solver.conf_budget(conflicts)
        answer = self._solver.solve_limited()
        if not answer:
            return answer
        true = np.zeros(self._last + 1, bool)
        model = np.array(self._solver.get_model() or [0])
        true[model[model > 0]] = True
        width = self._classes - 1
        count = len(self._prefixes.link)
        chosen = true[1 : count * width + 1].reshape(count, width).sum(axis=1)
        channel = self._prefixes.link * self._classes + chosen
        follows = np.flatnonzero(self._prefixes.before >= 0)
        pairs = np.stack([channel[self._prefixes.before[follows]], channel[follows]], axis=1)
        return {(a, b) for a, b in np.unique(pairs, axis=0).tolist()}

    @property
    def conflicts(self) -> int:
        """Conflicts so far."""
        return (self._solver.accum_stats() or {})["conflicts"]

    def forbid(self, ring: list[tuple[int, int]]) -> None:
        """Forbid that all these waits are there at once; copies of a link wait by themselves."""
        self._solver.add_clause([-self._waits[edge] for edge in ring if edge in self._waits])

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.delete()


def _solve_classes(
    prefixes: Prefixes, links: int, classes: int, conflicts: int
) -> np.ndarray | None:
    """Rank of the channels with so many classes; an empty one for none, None for unknown."""
    problem = _Problem(prefixes, classes)
    copies = {
        (link * classes + low, link * classes + low + 1)
        for link in np.unique(prefixes.link).tolist()
        for low in range(classes - 1)
    }
    try:
        for _ in range(_RING_ROUNDS):
            waits = problem.solve(max(1, conflicts - problem.conflicts))
            if waits is None or problem.conflicts > conflicts:
                return None
            if waits is False:
                return np.zeros(0, np.int32)
            assert not isinstance(waits, bool)
            edges = waits | copies
            order = _order(edges, links * classes)
            if order is not None:
                used = np.zeros(links, bool)
                used[prefixes.link] = True
                return np.where(used[:, None], order.reshape(links, classes), -1).astype(np.int32)
            for ring in _rings(edges):
                problem.forbid(ring)
        return None
    finally:
        problem.close()


def _rings(edges: set[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """A shortest ring through each vertex that is on one, each ring once."""
    import rustworkx as rx

    ahead: dict[int, list[int]] = {}
    for a, b in sorted(edges):
        ahead.setdefault(a, []).append(b)
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(max(map(max, edges)) + 1))
    graph.add_edges_from_no_data(sorted(edges))
    rings: dict[frozenset[tuple[int, int]], list[tuple[int, int]]] = {}
    for part in rx.strongly_connected_components(graph):
        if len(part) > 1:
            members = set(part)
            for vertex in sorted(part):
                ring = _ring_through(vertex, ahead, members)
                rings.setdefault(frozenset(ring), ring)
    return list(rings.values())


def _ring_through(
    vertex: int, ahead: dict[int, list[int]], members: set[int]
) -> list[tuple[int, int]]:
    """Edges of a shortest ring through a vertex, among the members of its component."""
    came, front = {vertex: -1}, [vertex]
    for here in front:
        for after in ahead.get(here, ()):
            if after == vertex:
                ring = [(here, vertex)]
                while came[here] >= 0:
                    ring.append((came[here], here))
                    here = came[here]  # noqa: PLW2901 - the loop ends here
                return ring
            if after in members and after not in came:
                came[after] = here
                front.append(after)
    raise ValueError(f"{vertex} is on no ring")
