"""Routings of the cube-connected cycles."""

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..topology import CubeConnectedCycles
from .batch import FIRST, SECOND, SORT, BatchRouting, Step, exchange
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
        node, place, length = *self._nodes, self.topology.cycle_length
        active = (length <= t + place) & (t + place < 2 * length) & self._lateral
        dimension = np.where(active, self.topology.cycle_bits + place, 0)
        asks = active & table.asks(dimension, destinations)
        held, flags = self._exchange(asks, active, FIRST)
        ahead = node - place + (place + 1) % length
        return Step(held[..., ahead], ahead, flags)

    def _sort(self, p: int, destinations: np.ndarray) -> Step:
        """Odd-even transposition by the destinations' places; even places begin with the next."""
        node, place, length = *self._nodes, self.topology.cycle_length
        partner = node + np.where((place + p) % 2 == 0, 1, -1)
        partner = np.where(node // length == partner // length, partner, node)
        wanted = destinations % length
        beyond = wanted - wanted[..., partner]  # of the own packet, past the partner's
        swap = np.where(partner > node, beyond, -beyond) > 0
        taken = np.where(swap, partner, node)
        return Step(taken, taken, np.zeros(destinations.shape, np.uint8))

    def _forward(self, q: int, destinations: np.ndarray) -> Step:
        """Lateral exchange by the destination, where it is the node's turn; a place forward."""
        node, place, length = *self._nodes, self.topology.cycle_length
        active = (q >= place) & (q - place < length) & self._lateral
        asks = active & ((destinations ^ node) >> (self.topology.cycle_bits + place) & 1 == 1)
        held, flags = self._exchange(asks, active, SECOND)
        if q == 0:
            flags |= (destinations % length != place).astype(np.uint8) * np.uint8(SORT)
        behind = node - place + (place - 1) % length
        return Step(held[..., behind], behind, flags)

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Every node, and its place."""
        node = np.arange(self.topology.nodes)
        return node, node % self.topology.cycle_length

    @cached_property
    def _lateral(self) -> np.ndarray:
        """Whether each node has a lateral link, bool."""
        return self._nodes[1] < self.topology.cube_bits

    def _exchange(
        self, asks: np.ndarray, active: np.ndarray, flag: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Exchange over the lateral links of active nodes."""
        node, place = self._nodes
        return exchange(
            asks, np.where(active, node ^ self.topology.cycle_length << place, node), flag
        )


ROUTINGS = (LC2,)
