"""Largest sets of nodes whose distances from each other are at most d."""

import numpy as np

EFFORT = 400_000
"""Nodes coloured in the search, for each d, after which there are only bounds."""


def largest_sets(hops: np.ndarray, wanted: int, *, transitive: bool) -> list[tuple[int, int]]:
    """Bounds of the size of the largest sets, by d from 0 on.

    The list ends with the first d for which a set of `wanted` nodes is known to exist.

    Parameters
    ----------
    hops : ndarray
        Distances of all pairs of nodes.
    wanted : int
        Largest size that is asked for, 1..nodes.
    transitive : bool
        Whether all nodes are alike: then node 0 is in a largest set.
    """
    found: list[tuple[int, int]] = []
    while not found or found[-1][0] < wanted:
        found.append(largest_set(hops, len(found), wanted, transitive=transitive))
    return found


def largest_set(hops: np.ndarray, d: int, wanted: int, *, transitive: bool) -> tuple[int, int]:
    """Bounds of the size of the largest set with distances of at most d; `wanted` is enough.

    The set is a clique of the graph of near pairs, found by branch and bound: nodes that can be
    coloured with c colours, with no two near nodes of one colour, have no clique of more than c.
    """
    near = hops <= d
    if near.all():
        return len(near), len(near)
    search = _Search(near, wanted)
    if transitive:
        # Sets and codes: a set of distances up to d has at most one node in each copy of a code
        # whose words are farther apart, and by symmetry N / |code| nodes in all.
        search.most = min(search.most, len(near) // _code_size(near))
        ball = np.nonzero(near[0])[0].tolist()
        search.most = min(search.most, len(ball))
        search.start([0], ball[1:])
    else:
        search.most = min(search.most, int(near.sum(axis=1).max()))
        search.start([], list(range(len(near))))
    return search.best, max(search.most, search.best)


def _code_size(near: np.ndarray) -> int:
    """Size of a set without two near nodes, chosen greedily in the order of the nodes."""
    free, size = np.ones(len(near), bool), 0
    for node in range(len(near)):
        if free[node]:
            free &= ~near[node]
            size += 1
    return size


class _Search:
    """Search for a largest clique; afterwards it has `best` nodes or more, and `most` or fewer."""

    def __init__(self, near: np.ndarray, wanted: int) -> None:
        self.near = [_bits(np.nonzero(row)[0].tolist()) & ~(1 << i) for i, row in enumerate(near)]
        self.wanted = wanted
        self.best = 1
        self.most = len(near)
        self.effort = 0

    def start(self, chosen: list[int], candidates: list[int]) -> None:
        """Search among candidates that are near to all chosen ones."""
        self.best = max(self.best, self._greedy(chosen, candidates))
        every = _bits(candidates)
        colours = self._coloured(every)
        if colours:
            self.most = min(self.most, len(chosen) + colours[-1][1])
        self._grow(len(chosen), every)
        if self.effort <= EFFORT and self.best < self.wanted:
            self.most = self.best

    def _greedy(self, chosen: list[int], candidates: list[int]) -> int:
        """Size of the largest of some cliques, grown by the node that leaves most candidates."""
        best = 0
        for first in candidates[:_STARTS] or chosen:
            if best >= self.wanted:
                break
            rest, size = _bits(candidates) & self.near[first], len(chosen) + (first not in chosen)
            while rest:
                kept = max(_members(rest), key=lambda node: (rest & self.near[node]).bit_count())
                rest &= self.near[kept]
                size += 1
            best = max(best, size)
        return best

    def _coloured(self, candidates: int) -> list[tuple[int, int]]:
        """Nodes, each with a number of colours that is enough for it and those before it."""
        colour, ordered = 0, []
        while candidates:
            colour += 1
            free = candidates
            while free:
                low = free & -free
                node = low.bit_length() - 1
                ordered.append((node, colour))
                candidates ^= low
                free &= ~(low | self.near[node])
        return ordered

    def _grow(self, size: int, candidates: int) -> None:
        """Extend a clique of that size, up to `most` or `wanted` nodes."""
        self.best = max(self.best, size)
        self.effort += candidates.bit_count()
        enough = min(self.most, self.wanted)
        for node, colours in reversed(self._coloured(candidates)):
            if size + colours <= self.best or self.best >= enough or self.effort > EFFORT:
                return
            self._grow(size + 1, candidates & self.near[node])
            candidates ^= 1 << node


_STARTS = 64  # cliques that are grown before the search, each from another node


def _bits(members: list[int]) -> int:
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
