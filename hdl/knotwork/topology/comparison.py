"""Measures that compare networks: group distances, wire lengths, ring codes."""

from math import isqrt
from typing import Any

import numpy as np

from .base import Topology
from .factors import NO_WRAP, TWO_WAY, johnson_code
from .layouts import folded
from .metrics import Bounds
from .petersen import GRID
from .product import ProductTopology

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
        Largest size requested, 1..nodes.
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


GROUP_LIMIT = 1024
"""Nodes up to which groups are searched."""
DRAWN_LIMIT = 1024
"""Routers up to which their places in the drawing are tried on a grid."""


def group_distances(topology: Topology, sizes: list[int]) -> list[Bounds | None]:
    """Least group distance of each size: the least d for which a group of distances up to d exists.

    Up to `GROUP_LIMIT` nodes the largest groups are searched. Where the search is cut short, and in
    larger networks, balls give bounds: a group lies in a ball of radius d around each of its nodes,
    and a ball of radius d / 2 is a group. None for more nodes than there are, or where no ball is
    known. Nor is there a group of nodes that send to another side only.
    """
    if len(topology.sides) > 1:
        return [None] * len(sizes)
    if topology.nodes <= GROUP_LIMIT:
        hops = topology.node_distances()
        transitive = topology.routers_are_nodes and len(topology.representatives) == 1
        wanted = min(max(sizes), topology.nodes)
        sets = largest_sets(hops, wanted, transitive=transitive)
    else:
        sets = _balls(topology)
    return [_group_distance(sets, size) if size <= topology.nodes else None for size in sizes]


def _balls(topology: Topology) -> list[tuple[int, int]]:
    """Bounds of the largest sets by their distance, if all nodes are alike; else none."""
    counts = topology.distance_counts if len(topology.representatives) == 1 else None
    if counts is None:
        return []
    balls = (np.cumsum(counts) // topology.nodes).tolist()
    return [(balls[d // 2], ball) for d, ball in enumerate(balls[:-1])] + [(balls[-1], balls[-1])]


def _group_distance(sets: list[tuple[int, int]], size: int) -> Bounds | None:
    low = next((d for d, (_, most) in enumerate(sets) if most >= size), None)
    high = next((d for d, (least, _) in enumerate(sets) if least >= size), None)
    if low is None or high is None:
        return None
    return Bounds(low, high, "search" if low == high else "bounds")


def placement(topology: Topology) -> np.ndarray:
    """Places of the routers on a grid of unit pitch, int64 of shape (routers, 2).

    - Torus and mesh: columns and rows, rings folded: there by every other place, back by those
      between. Layers are blocks, laid row by row, there and back. So are the nodes of a ring, or of
      one dimension.
    - With Petersen graphs: each is five columns of two rows, ``u_i`` above ``v_i``. A torus of them
      keeps its columns and rows; a ring of them is laid row by row, there and back.
    - All others: row by row, as nearly square as can be: 2^ceil(b / 2) columns for 2^b routers,
      else the square root rounded up. By index, or by their places in the drawing, whichever takes
      less wire; large networks by index.
    """
    if isinstance(topology, ProductTopology):
        return _in_columns_and_rows(topology)
    index, routers = np.arange(topology.routers), topology.routers
    columns = isqrt(routers - 1) + 1
    if routers.bit_count() == 1:
        columns = 1 << routers.bit_length() // 2
    places = [np.stack([index % columns, index // columns], axis=1)]
    if routers <= DRAWN_LIMIT:
        places.append(_as_drawn(topology, columns))
    return min(places, key=lambda place: _lengths(topology, place))


def _as_drawn(topology: Topology, columns: int) -> np.ndarray:
    """Places in rows of so many columns, in the order of the places in the drawing."""
    drawn = np.round(topology.layout(), 9)
    rank = np.empty(topology.routers, np.int64)
    rank[np.lexsort((drawn[:, 0], drawn[:, 1]))] = np.arange(topology.routers)
    row = rank // columns
    order = np.lexsort((drawn[:, 0], row))
    place = np.zeros((topology.routers, 2), np.int64)
    place[order, 0] = np.arange(topology.routers) % columns
    place[:, 1] = row
    return place


def _in_columns_and_rows(topology: ProductTopology) -> np.ndarray:
    """Places of the routers of a torus, a mesh, a ring, or of such of Petersen graphs."""
    factors, table = list(topology.factors), topology.position_table.astype(np.int64)
    place = np.zeros((topology.routers, 2), np.int64)
    block = np.ones(2, np.int64)
    if not factors[0].is_row:
        place = np.stack([table[:, 0] % GRID[0], table[:, 0] // GRID[0]], axis=1)
        block, factors, table = np.array(GRID), factors[1:], table[:, 1:]
    if len(factors) == 1:
        table = _there_and_back(table[:, 0], factors[0].size, block)
    elif factors:
        if len(factors) == 3:
            layer = block * [factors[0].size, factors[1].size]
            place = place + layer * _there_and_back(table[:, 2], factors[2].size, layer)
        table = np.stack(
            [
                table[:, axis] if factor.wrap == NO_WRAP else folded(factor.size)[table[:, axis]]
                for axis, factor in enumerate(factors[:2])
            ],
            axis=1,
        )
    return place + block * table if factors else place


def _there_and_back(position: np.ndarray, size: int, block: np.ndarray) -> np.ndarray:
    """Column and row of blocks of this width and height, nearly a square of them."""
    across = isqrt(max(size * int(block[1]) // int(block[0]) - 1, 0)) + 1
    row, column = np.divmod(position, across)
    return np.stack([np.where(row % 2, across - 1 - column, column), row], axis=1)


def wire_lengths(topology: Topology) -> tuple[int, int]:
    """Total and greatest length of the links in `placement`, along rows and columns."""
    return _lengths(topology, placement(topology))


def _lengths(topology: Topology, place: np.ndarray) -> tuple[int, int]:
    neighbours = topology.neighbours
    total = longest = 0
    for column in neighbours.T:
        here = np.nonzero(column >= 0)[0]
        if len(here):
            lengths = np.abs(place[here] - place[column[here]]).sum(axis=1)
            total, longest = total + int(lengths.sum()), max(longest, int(lengths.max()))
    return total // (1 if topology.is_one_way else 2), longest


def gray_codes(size: int) -> list[int]:
    """Words of the reflected Gray code for a ring of an even size: the middle ones."""
    bits = (size - 1).bit_length()
    first = ((1 << bits) - size) // 2
    return [value ^ value >> 1 for value in range(first, first + size)]


def ring_codes(topology: Topology) -> dict[str, dict[str, Any]] | None:
    """Properties of Johnson and Gray codes of a node's positions on rings.

    A step round a ring changes one bit in both. For each code: the bits of all rings; whether the
    number of differing bits is always the distance; and the most nodes whose codes differ from one
    node's in one bit (with a Gray code there are more of them than neighbours).

    Returns
    -------
    dict or None
        None without rings, or where one is odd: from its last word to its first neither code can
        change one bit.
    """
    factors = topology.factors if isinstance(topology, ProductTopology) else ()
    sizes = [factor.size for factor in factors if factor.wrap == TWO_WAY]
    if not sizes or any(size % 2 for size in sizes):
        return None
    made = {
        "johnson": [[johnson_code(n // 2, value) for value in range(n)] for n in sizes],
        "gray": [gray_codes(n) for n in sizes],
    }
    return {name: _code_facts(rings) for name, rings in made.items()}


def _code_facts(rings: list[list[int]]) -> dict[str, Any]:
    bits, near, isometric = 0, 0, True
    for codes in rings:
        words, value = np.array(codes, dtype=object), np.arange(len(codes))
        differ = np.array([[(a ^ b).bit_count() for b in words] for a in words])
        apart = np.abs(value[:, None] - value)
        isometric &= bool((differ == np.minimum(apart, len(codes) - apart)).all())
        near += int((differ == 1).sum(axis=1).max())
        bits += max(codes).bit_length()
    return {"bits": bits, "isometric": isometric, "one_bit_neighbours": near}
