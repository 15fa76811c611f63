"""Division of messages into classes that divides every load evenly.

A message has a key on each of some levels at its source, and on each at its destination: the node
of a tree that it passes there, from below. The load of a node is the number of messages with its
key. Keys are nested: equal keys on one level are equal on those above. One call divides many sets
at once if their nodes have different keys.

References
----------
C. E. Leiserson, "Fat-trees: universal networks for hardware-efficient supercomputing", IEEE Trans.
Computers C-34(10), 1985, for the pairs that are made from below.
"""

from collections.abc import Sequence

import numpy as np

Keys = Sequence[np.ndarray]
"""Key of each message, level by level from below, int64."""


def halves(sources: Keys, destinations: Keys) -> np.ndarray:
    """Class 0 or 1 of each message: every load is halved, up to the odd one.

    Messages with a node in common are paired as low as can be, at the sources and, again, at the
    destinations. Pairs make paths and even cycles, on which the classes alternate.
    """
    return _alternating(_pair_partners(sources), _pair_partners(destinations))


def split(sources: Keys, destinations: Keys, count: int) -> np.ndarray:
    """Class 0..count - 1 of each message: every load is divided evenly, to within one.

    With loads up to `count`, that is a proper edge colouring of a bipartite multigraph: by Euler
    splits where `count` is a power of two.
    """
    classes = np.zeros(len(sources[0]), np.int64)
    while count % 2 == 0:
        classes = classes * 2 + halves(*_within(classes, sources, destinations))
        count //= 2
    if count > 1:
        classes = classes * count + _evened(*_within(classes, sources, destinations), count)
    return classes


def _within(classes: np.ndarray, *sides: Keys) -> tuple[Keys, ...]:
    """Keys that also differ between classes."""
    return tuple([key * (classes.max(initial=0) + 1) + classes for key in keys] for keys in sides)


def _pair_partners(keys: Keys) -> np.ndarray:
    """Partner of each message; the message itself if it has none."""
    partner = np.arange(len(keys[0]))
    single = partner.copy()
    for key in keys:
        single = single[np.argsort(key[single], kind="stable")]
        rank = np.arange(len(single))
        first = np.concatenate([[True], np.diff(key[single]) != 0])[: len(single)]
        odd = (rank - np.maximum.accumulate(np.where(first, rank, 0))) % 2 == 1
        second = np.nonzero(odd)[0]
        partner[single[second]], partner[single[second - 1]] = single[second - 1], single[second]
        single = single[partner[single] == single]
    return partner


def _alternating(partner: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Two classes, such that every message is in another class than both of its partners.

    A walker leaves message e by its one partner (state e) or by its other (state n + e), and turns
    back where there is none. The class is the parity of its steps to the least message that it
    meets; steps are doubled until none meets a lesser one, which is then true all round.
    """
    count = len(partner)
    own = np.arange(count)
    jump = np.concatenate([partner + count, other])
    parity = np.concatenate([partner != own, other != own])
    least = np.concatenate([own, own])
    steps = np.zeros(2 * count, bool)
    while True:
        found = least[jump]
        lower = found < least
        if not lower.any():
            return steps[:count].astype(np.int64)
        steps = np.where(lower, parity ^ steps[jump], steps)
        least = np.where(lower, found, least)
        parity = parity ^ parity[jump]
        jump = jump[jump]


def _evened(sources: Keys, destinations: Keys, count: int) -> np.ndarray:
    """Class 0..count - 1 of each message, for odd `count`.

    Messages are dealt out in the order of their sources. Then two classes that differ by more than
    one anywhere are merged and halved, until there are none: that lowers the sum of the loads'
    squares.
    """
    order = np.lexsort([*sources])
    classes = np.empty(len(order), np.int64)
    classes[order] = np.arange(len(order)) % count
    nodes = [np.unique(key, return_inverse=True)[1].ravel() for key in (*sources, *destinations)]
    sizes = [int(number.max(initial=-1)) + 1 for number in nodes]
    even = False
    while not even:
        even = True
        for first, second in _tournament(count):
            partner = np.full(count, -1)
            partner[first], partner[second] = second, first
            loads = np.concatenate(
                [
                    np.bincount(number * count + classes, minlength=size * count)
                    for number, size in zip(nodes, sizes, strict=True)
                ]
            ).reshape(-1, count)
            differ = (np.abs(loads[:, first] - loads[:, second]) > 1).any(axis=0)
            if not differ.any():
                continue
            even = False
            low = np.full(count, -1)
            low[first[differ]] = low[second[differ]] = first[differ]
            moved = np.nonzero(low[classes] >= 0)[0]
            pair = low[classes[moved]]
            keys = [[key[moved] * count + pair for key in side] for side in (sources, destinations)]
            classes[moved] = np.where(halves(*keys) == 0, pair, partner[pair])
    return classes


def _tournament(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rounds of disjoint pairs among an odd number of classes, in which each meets each once."""
    apart = np.arange(1, count // 2 + 1)
    return [((middle - apart) % count, (middle + apart) % count) for middle in range(count)]
