"""Schedules of least-common-ancestor networks, found off line: rounds in which no packet loses.

References
----------
"Least Common Ancestor Networks"; C. E. Leiserson, "Fat-trees: universal networks for
hardware-efficient supercomputing", IEEE Trans. Computers C-34(10), 1985, for the block of rounds
of each level of a tree. `words_of` and `level_schedule` say why the same works in complete
networks, and why one round is enough where no switch has fewer uppers than children.
"""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from ...topology import LeastCommonAncestor
from .slots import Slots
from .splitting import split


class Round(NamedTuple):
    """Messages that one network cycle delivers.

    Members
    -------
    sources, destinations : ndarray
        PEs, int64.
    words : ndarray
        Upper that each takes on each level, int64 of shape (messages, levels - 1); -1 from its LCA
        level on.
    """

    sources: np.ndarray
    destinations: np.ndarray
    words: np.ndarray


def load_factor(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> Fraction:
    """Largest load of the wires above a prefix, as a share of their number; 0 for no messages.

    The PEs count too, each of which sends and gets one message at once, that to itself included. Of
    several copies, a message loads the one in which its PEs are nearest.
    """
    loads = [np.bincount(ends).max(initial=0) for ends in (sources, destinations)]
    found = Fraction(int(max(loads)))
    level_of = topology.lca_level(sources, destinations)
    copies = topology.nearest_copy(sources, destinations)
    for copy in range(topology.copies):
        for level in range(topology.levels - 1):
            crossing = (copies == copy) & (level_of > level)
            for ends in (sources, destinations):
                places = topology.position_in_copy(copy, ends[crossing])
                load = np.bincount(topology.prefix(places, level)).max(initial=0)
                found = max(found, Fraction(int(load), topology.capacities[level]))
    return found


def lower_bound(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> int:
    """Fewest rounds that the loads allow."""
    return ceil(load_factor(topology, sources, destinations))


def schedule(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> list[Round]:
    """Rounds that deliver any messages.

    As many as `lower_bound` where no switch below the top has fewer uppers than children, and where
    all messages have one LCA level. Otherwise the best of three: the heaviest level exactly and the
    others wherever they fit; all wherever they fit; a block of rounds per level.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    sources, destinations : ndarray
        PEs of the messages, int64.
    """
    sources, destinations = np.asarray(sources, np.int64), np.asarray(destinations, np.int64)
    if _routes_permutations(topology):
        slots = _spread(topology, sources, destinations, -1)
        words = words_of(topology, sources, destinations, slots)
        return _rounds(sources, destinations, slots, words)
    bound = lower_bound(topology, sources, destinations)
    found: list[Round] | None = None
    for method in (_heaviest_first, _first_fit, _level_by_level):
        if found is None or len(found) > bound:
            slots, words = method(topology, sources, destinations)
            rounds = _rounds(sources, destinations, slots, words)
            found = rounds if found is None or len(rounds) < len(found) else found
    assert found is not None
    return found


def words_of(
    topology: LeastCommonAncestor,
    sources: np.ndarray,
    destinations: np.ndarray,
    slots: np.ndarray,
) -> np.ndarray:
    """Up-words by which the messages of each slot do not meet, at once for all slots.

    A slot has a permutation, or a part of one, and no switch below the top has fewer uppers than
    children (in a tree, than wires below). Level by level, the messages that have taken the same
    uppers so far are the edges of a bipartite multigraph of prefixes, and a proper colouring gives
    their next uppers: it leaves a switch above at most one message from each child, so that there
    are uppers enough again.
    """
    level_of = topology.lca_level(sources, destinations)
    if topology.is_tree:
        return _tree_words(topology, sources, level_of, slots)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    group = slots.astype(np.int64)
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        nodes = topology.nodes // topology.spans[level]
        rising, falling = (
            [group[going] * nodes + topology.prefix(ends[going], level)]
            for ends in (sources, destinations)
        )
        words[going, level] = split(rising, falling, topology.uppers[level])
        group[going] = group[going] * topology.uppers[level] + words[going, level]
    return words


def level_schedule(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, level: int
) -> tuple[np.ndarray, np.ndarray]:
    """Slots, as few as the loads allow, and words of messages that all have LCA level `level`.

    The loads of a slot are split by the first upper, those of each part by the second, and so on;
    every split leaves at most one message per wire.
    """
    slots = _spread(topology, sources, destinations, level - 1)
    if topology.is_tree:
        levels = np.full(len(sources), level)
        return slots, _tree_words(topology, sources, levels, slots)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    group = slots.copy()
    for lower in range(level):
        rising, falling = (
            _nested(topology, ends, level - 1, group) for ends in (sources, destinations)
        )
        words[:, lower] = split(rising, falling, topology.uppers[lower])
        group = group * topology.uppers[lower] + words[:, lower]
    return slots, words


def _routes_permutations(topology: LeastCommonAncestor) -> bool:
    """Whether any permutation fits into one round."""
    below = range(topology.levels - 1)
    if topology.is_tree:
        return all(topology.spans[level] <= topology.uppers[level] for level in below)
    return all(topology.radices[level] <= topology.uppers[level] for level in below)


def _spread(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, top: int
) -> np.ndarray:
    """Slots between which the loads of levels -1..top are spread evenly, as few as they allow."""
    group = np.zeros(len(sources), np.int64)
    rising, falling = (_nested(topology, ends, top, group) for ends in (sources, destinations))
    count = 1
    for side in (rising, falling):
        for level, key in enumerate(side, start=-1):
            capacity = topology.capacities[level] if level >= 0 else 1
            count = max(count, -(-int(np.bincount(key).max(initial=0)) // capacity))
    return split(rising, falling, count)


def _nested(
    topology: LeastCommonAncestor, ends: np.ndarray, top: int, group: np.ndarray
) -> list[np.ndarray]:
    """Keys of PEs on levels -1..top, apart for each group."""
    return [group * topology.nodes + topology.prefix(ends, level) for level in range(-1, top + 1)]


def _tree_words(
    topology: LeastCommonAncestor, sources: np.ndarray, level_of: np.ndarray, slots: np.ndarray
) -> np.ndarray:
    """Uppers of a tree: the messages of a switch take them in their order."""
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        switch = slots[going] * topology.nodes + topology.prefix(sources[going], level)
        going = going[np.argsort(switch, kind="stable")]
        switch = np.sort(switch)
        words[going, level] = np.arange(len(going)) - np.searchsorted(switch, switch)
    return words


def _heaviest_first(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: the level that needs most slots exactly, the others wherever they fit."""
    level_of = topology.lca_level(sources, destinations)

    def weight(level: int) -> tuple[int, int]:
        own = level_of == level
        return lower_bound(topology, sources[own], destinations[own]), level

    heaviest = max(range(topology.levels), key=weight)
    return _fitted(topology, sources, destinations, heaviest)


def _first_fit(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: every message wherever it fits first."""
    return _fitted(topology, sources, destinations, -1)


def _fitted(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, exact: int
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: level `exact` by itself, then the others, of higher levels first."""
    level_of = topology.lca_level(sources, destinations)
    slots = np.zeros(len(sources), np.int64)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    filled = Slots(topology)
    own = np.nonzero(level_of == exact)[0]
    if len(own):
        pairs = sources[own], destinations[own]
        slots[own], words[own] = level_schedule(topology, *pairs, exact)
        filled.take(*pairs, slots[own], words[own])
    for message in np.argsort(-level_of, kind="stable").tolist():
        if level_of[message] != exact:
            pair = int(sources[message]), int(destinations[message])
            slots[message], word = filled.fit(*pair)
            words[message, : len(word)] = word
    if topology.is_tree:
        words = _tree_words(topology, sources, level_of, slots)
    return slots, words


def _level_by_level(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: a block of slots for each LCA level."""
    level_of = topology.lca_level(sources, destinations)
    slots = np.zeros(len(sources), np.int64)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    used = 0
    for level in range(topology.levels):
        own = np.nonzero(level_of == level)[0]
        if len(own):
            found, words[own] = level_schedule(topology, sources[own], destinations[own], level)
            slots[own] = used + found
            used += int(found.max()) + 1
    return slots, words


def _rounds(
    sources: np.ndarray, destinations: np.ndarray, slots: np.ndarray, words: np.ndarray
) -> list[Round]:
    """Messages by their slots, in the order of their sources."""
    rounds = []
    for slot in range(int(slots.max(initial=-1)) + 1):
        own = np.nonzero(slots == slot)[0]
        own = own[np.argsort(sources[own], kind="stable")]
        rounds.append(Round(sources[own], destinations[own], words[own]))
    return rounds
