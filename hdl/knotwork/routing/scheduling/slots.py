"""Slots of a schedule under construction, and the links that each has left.

A message that goes up by the word k_0 k_1 ... takes, on each level i below its LCA, wire
k_0 k_1 ... k_i of those above its source's prefix, and the same of those above its destination's;
in a tree, any one of them.
"""

import numpy as np

from ...topology import LeastCommonAncestor

_MORE = 8  # slots by which the tables grow


class Slots:
    """Links taken in each of any number of slots.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    """

    def __init__(self, topology: LeastCommonAncestor) -> None:
        self.topology = topology
        # By level from -1, above sources and above destinations: which wires are taken, or, in a
        # tree, how many; (slots, prefixes, wires).
        self._capacities = [1, *topology.capacities[:-1]]
        spans = [1, *topology.spans[:-1]]
        self._taken: list[list[np.ndarray]] = [
            [
                np.zeros((0, topology.nodes // span, 1 if topology.is_tree else wires), np.int16)
                for span, wires in zip(spans, self._capacities, strict=True)
            ]
            for _ in range(2)
        ]

    def take(
        self, sources: np.ndarray, destinations: np.ndarray, slots: np.ndarray, words: np.ndarray
    ) -> None:
        """Mark the links of messages that have their slots and words."""
        self._grow(int(slots.max(initial=-1)) + 1)
        level_of = self.topology.lca_level(sources, destinations)
        wire = np.zeros(len(sources), np.int64)
        for level in range(-1, self.topology.levels - 1):
            going = level_of > level
            if level >= 0 and not self.topology.is_tree:
                wire[going] = (wire * self.topology.uppers[level] + words[:, level])[going]
            for side, ends in zip(self._taken, (sources, destinations), strict=True):
                place = slots, self.topology.prefix(ends, level), wire
                np.add.at(side[level + 1], tuple(axis[going] for axis in place), 1)

    def fit(self, source: int, destination: int) -> tuple[int, tuple[int, ...]]:
        """First slot that has links left for a message, and its lowest word there; both taken."""
        topology, tree = self.topology, self.topology.is_tree
        top = topology.lca_level(source, destination)
        free: np.ndarray = np.ones((len(self._taken[0][0]), 1), bool)
        for level in range(-1, top):
            if level >= 0 and not tree:
                free = np.repeat(free, topology.uppers[level], axis=1)
            most = self._capacities[level + 1] if tree else 1
            for side, end in zip(self._taken, (source, destination), strict=True):
                free = free & (side[level + 1][:, topology.prefix(end, level)] < most)
        able = free.any(axis=1)
        if not able.any():
            self._grow(free.shape[0] + 1)
            return self.fit(source, destination)
        slot = int(able.argmax())
        number = 0 if tree else int(free[slot].argmax())
        word: list[int] = []
        for level in range(top - 1, -1, -1):
            number, k = divmod(number, topology.uppers[level])
            word.insert(0, k)
        padded = np.array([[*word, *[-1] * (topology.levels - 1 - top)]], np.int64)
        self.take(np.array([source]), np.array([destination]), np.array([slot]), padded)
        return slot, tuple(word)

    def _grow(self, count: int) -> None:
        """Make room for `count` slots."""
        missing = count - len(self._taken[0][0])
        if missing > 0:
            self._taken = [
                [
                    np.concatenate([table, np.zeros((missing + _MORE, *table.shape[1:]), np.int16)])
                    for table in side
                ]
                for side in self._taken
            ]
