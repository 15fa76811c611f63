"""Naive routing of a permutation, dimension after dimension, and where its messages collide.

In the step of dimension k, a message crosses the link of this dimension where bit k of its
destination differs from the node's. The classes ASCEND and DESCEND differ in the order of the
dimensions alone.

References
----------
Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
section 3.1 with theorem 1.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

ORDERS: Mapping[str, Callable[[int], range]] = {
    "ascending": range,
    "descending": lambda n: range(n - 1, -1, -1),
}
"""Dimensions 0..n - 1 in each order, by its name."""


class Collision(NamedTuple):
    """Two messages that come to be at one node in one step.

    Members
    -------
    node : int
        Node that has both.
    begin : int
        Node at the other end of its link of the step's dimension.
    stays : int
        Source of the message that was at `node` before.
    comes : int
        Source of the message that crosses the link from `begin`.
    """

    node: int
    begin: int
    stays: int
    comes: int


@dataclass(frozen=True, eq=False)
class NaiveRun:
    """Naive routing of a permutation of 2^n nodes.

    A node keeps all messages that it has, so the run goes on after a collision: every message is at
    its destination in the end.

    Members
    -------
    destinations : ndarray
        Destination of the message of each node, a permutation.
    order : str
        One of `ORDERS`.
    """

    destinations: np.ndarray
    order: str

    @property
    def dimensions(self) -> range:
        """Dimension of each step."""
        return ORDERS[self.order](len(self.destinations).bit_length() - 1)

    def positions(self) -> Iterator[np.ndarray]:
        """Node that has the message of each source after each step."""
        held = np.arange(len(self.destinations))
        for dimension in self.dimensions:
            held = held ^ (held ^ self.destinations) & (1 << dimension)
            yield held

    def collided(self) -> list[int]:
        """Messages after each step that share their node, one per node not counted."""
        return [int(np.sum(self._counts(held) == 0)) for held in self.positions()]

    @property
    def is_free(self) -> bool:
        """Whether no two messages are ever at one node."""
        return not any(self.collided())

    def first_collisions(self) -> tuple[int, list[Collision]]:
        """First step after which messages are at one node, and all their pairs, by that node.

        The step is that after the last one if there is none. Up to this step every node has one
        message, so no more than two can meet.
        """
        before = np.arange(len(self.destinations))
        for step, held in enumerate(self.positions()):
            shared = np.nonzero(self._counts(held) > 1)[0]
            if len(shared):
                source_at = np.empty_like(before)
                source_at[before] = np.arange(len(before))
                begins = shared ^ (1 << self.dimensions[step])
                columns = (shared, begins, source_at[shared], source_at[begins])
                rows = zip(*(column.tolist() for column in columns), strict=True)
                return step, [Collision(*row) for row in rows]
            before = held
        return len(self.dimensions), []

    def _counts(self, held: np.ndarray) -> np.ndarray:
        """Messages at each node."""
        return np.bincount(held, minlength=len(self.destinations))
