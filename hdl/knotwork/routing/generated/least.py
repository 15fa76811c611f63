"""Least number of classes for given paths: found, and one fewer proven impossible, by SAT.

With k classes a link has k channels. They are enough for paths if all channels can be put in an
order in which every path only rises, where a packet may choose the channel of each hop. It loses
nothing by taking the first channel of its first link, and the channels of a link may be numbered by
their order; so both are required. The solver chooses the channels of all paths. Where its choices
wait in rings, these are forbidden, and it solves again.
"""

from typing import NamedTuple

import numpy as np

CONFLICTS = 5_000
"""Conflicts of the solver after which the number stays unknown; no clock, so answers repeat."""
PATH_LIMIT = 2**17
"""Paths up to which the number is looked for."""

_ROUNDS = 1000  # of forbidden rings


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
        found = _solved(prefixes, links, fewer, conflicts)
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


def _solved(prefixes: Prefixes, links: int, classes: int, conflicts: int) -> np.ndarray | None:
    """Rank of the channels with so many classes; an empty one for none, None for unknown."""
    problem = _Problem(prefixes, classes)
    copies = {
        (link * classes + low, link * classes + low + 1)
        for link in np.unique(prefixes.link).tolist()
        for low in range(classes - 1)
    }
    try:
        for _ in range(_ROUNDS):
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
