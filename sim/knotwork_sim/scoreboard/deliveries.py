"""Deliveries that are due: which packet must reach which node, and what an arrival is."""

from collections import defaultdict
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

Key = Hashable
"""What a packet is recognised by: its source, where packets carry it, and its data."""


class Fate(NamedTuple):
    """What an arrival is.

    Members
    -------
    name : str
        ``delivered``, ``duplicated``, ``misrouted`` or ``corrupted``, as in `check.score.Score`.
    packets : tuple of int
        Packets that it may be, the earliest first; none if its data is that of no packet.
    """

    name: str
    packets: tuple[int, ...]


class Deliveries:
    """Deliveries that are due, by what their packets are recognised by.

    A packet that goes to several nodes is due at each of them. Where several packets have the same
    narrow data, an arrival may be any of those that are still due at its node.
    """

    def __init__(self) -> None:
        self._due: dict[Key, dict[int, list[int]]] = defaultdict(dict)
        self._gone: dict[Key, dict[int, list[int]]] = {}
        self.number = 0

    def add(self, key: Key, packet: int, node: int) -> None:
        """Expect a packet at a node, after all that were added before it."""
        self._due[key].setdefault(node, []).append(packet)
        self.number += 1

    def fate(self, key: Key, node: int) -> Fate:
        """What an arrival at a node is; nothing changes."""
        due, gone = self._due.get(key, {}), self._gone.get(key, {})
        if due.get(node):
            return Fate("delivered", tuple(due[node]))
        if gone.get(node):
            return Fate("duplicated", tuple(gone[node]))
        others = {packet for nodes in (due, gone) for many in nodes.values() for packet in many}
        return Fate("misrouted" if others else "corrupted", tuple(sorted(others)))

    def deliver(self, key: Key, packet: int, node: int) -> None:
        """Note that a packet has reached a node at which it was due."""
        self.withdraw(key, packet, node)
        self._gone.setdefault(key, {}).setdefault(node, []).append(packet)

    def withdraw(self, key: Key, packet: int, node: int) -> None:
        """Expect a packet at a node no more."""
        self._due[key][node].remove(packet)
        self.number -= 1

    def left(self) -> list[tuple[int, int]]:
        """Packet and node of every delivery that is still due, the earliest packet first."""
        return sorted(
            (packet, node)
            for nodes in self._due.values()
            for node, packets in nodes.items()
            for packet in packets
        )


def contents_of(words: np.ndarray, first: np.ndarray, end: np.ndarray) -> list[bytes]:
    """Data of packets as bytes; the flits of each are rows `first` to `end` of `words`."""
    return [words[a:b].tobytes() for a, b in zip(first.tolist(), end.tolist(), strict=True)]
