"""Routings of the cube-connected cycles."""

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..topology import CubeConnectedCycles
from .batch import FIRST, SECOND, SORT, BatchRouting, Step
from .linear import JumpTable


class LC2(BatchRouting):
    """LC2: linear-complement permutations in 5 * 2^y steps without a conflict.

    Three periods, with L = 2^y. In 2 L steps all packets go backward round their cycle twice, and
    on their way over the lateral links as jump bits and buddies say. In L steps of odd-even
    transposition every cycle sorts its packets by their destination's place. In 2 L steps all go
    forward, and over the lateral links to their destination's cycle. In a step of the first and
    third periods a packet may cross a lateral link and then a link of the cycle.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "Conflict-free routing of LC-permutations on cube connected
    cycles", J. Comput. Sci. & Technol. 10, 1995, section 3.3, whose second period is one step too
    short: sorting L packets by odd-even transposition takes L steps.
    """

    name: ClassVar[str] = "lc2"
    distinct_groups: ClassVar[bool] = True
    topology: CubeConnectedCycles

    @property
    def steps(self) -> int:
        """5 L."""
        return 5 * self.topology.cycle_length

    @cached_property
    def router_groups(self) -> np.ndarray:
        """Places on the cycle."""
        return np.arange(self.topology.routers) % self.topology.cycle_length

    def place(self, router: int) -> str:
        """Place on the cycle."""
        return f"place{self.topology.place(router)}"

    def step(self, number: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Step of the period that `number` is in."""
        length = self.topology.cycle_length
        if number < 2 * length:
            return self._backward(number, destinations, table)
        if number < 3 * length:
            return self._sort(number - 2 * length, destinations)
        return self._forward(number - 3 * length, destinations)

    def _backward(self, t: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Lateral exchange by the table, where it is the node's turn; then a place backward."""
        length = self.topology.cycle_length
        node, place = self._nodes()
        active = (
            (place < self.topology.cube_bits) & (length <= t + place) & (t + place < 2 * length)
        )
        dimension = np.where(active, self.topology.cycle_bits + place, 0)
        asks = active & table.asks(dimension, destinations)
        held, flags = self._exchanged(asks, active, FIRST)
        ahead = node - place + (place + 1) % length
        return Step(held[ahead], ahead, flags)

    def _sort(self, p: int, destinations: np.ndarray) -> Step:
        """Odd-even transposition by the destinations' places; even places begin with the next."""
        length = self.topology.cycle_length
        node, place = self._nodes()
        ahead = (place + p) % 2 == 0
        alone = np.where(ahead, place == length - 1, place == 0)
        partner = np.where(alone, node, np.where(ahead, node + 1, node - 1))
        wanted = destinations % length
        swap = (wanted > wanted[partner]) == (partner > node)
        swap &= wanted != wanted[partner]
        taken = np.where(swap, partner, node)
        return Step(taken, taken, np.zeros(len(node), np.uint8))

    def _forward(self, q: int, destinations: np.ndarray) -> Step:
        """Lateral exchange by the destination, where it is the node's turn; a place forward."""
        length = self.topology.cycle_length
        node, place = self._nodes()
        active = (place < self.topology.cube_bits) & (q >= place) & (q - place < length)
        asks = active & ((destinations ^ node) >> (self.topology.cycle_bits + place) & 1 == 1)
        held, flags = self._exchanged(asks, active, SECOND)
        if q == 0:
            flags |= np.where(destinations % length != place, SORT, 0).astype(np.uint8)
        behind = node - place + (place - 1) % length
        return Step(held[behind], behind, flags)

    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Every node, and its place."""
        node = np.arange(self.topology.nodes)
        return node, node % self.topology.cycle_length

    def _exchanged(
        self, asks: np.ndarray, active: np.ndarray, flag: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Node whose packet each has after the lateral links, and the flag where ends differ."""
        node, place = self._nodes()
        partner = np.where(active, node ^ self.topology.cycle_length << place, node)
        held = np.where(asks & asks[partner], partner, node)
        return held, np.where(asks != asks[partner], flag, 0).astype(np.uint8)


ROUTINGS = (LC2,)
