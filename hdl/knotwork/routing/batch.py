"""Routings that move one packet of every node at once, step by step: no packet ever waits."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from ..errors import ConfigurationError
from .base import Routing, Rule, Turn
from .linear import JumpTable

WRONG, FIRST, SORT, SECOND = 1, 2, 4, 8
"""Flags of a node after a batch: its packet is not for it; its exchanges of the first and of the
second time were not what its neighbour asked (F1 and F3); a packet was not sorted (F2)."""


class Step(NamedTuple):
    """Movement of all packets in a step.

    Members
    -------
    taken : ndarray
        Node whose packet each node has afterwards, int; a permutation.
    between : ndarray
        Node over which it comes, where it crosses two links; else the node that it came from.
    flags : ndarray
        Flags that are raised in this step, uint8.
    """

    taken: np.ndarray
    between: np.ndarray
    flags: np.ndarray


class BatchRouting(Routing):
    """Routing of a batch: every node gives one packet, and every node gets one.

    A subclass gives `steps` and `step`, which moves the packets by their destinations and a table
    of jump bits and buddies.
    """

    router: ClassVar[str] = "batch"
    flag_width: ClassVar[int] = 4
    settled: ClassVar[str | None] = (
        "a batch moves in steps of fixed number, in which every node gives one packet and takes "
        "one; none waits for another"
    )

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be asked for a permutation "
            f"(knotwork schedule): the way of a packet depends on all others"
        )

    def class_turns(self, router: int) -> set[Turn]:
        """None: a packet goes where its step says."""
        del router
        return set()

    @property
    @abstractmethod
    def steps(self) -> int:
        """Steps of a batch."""

    @abstractmethod
    def step(self, number: int, destinations: np.ndarray, table: JumpTable) -> Step:
        """Movement in a step.

        Parameters
        ----------
        number : int
            0..steps - 1.
        destinations : ndarray
            Destination of the packet that each node has, int64.
        table : JumpTable
            Jump bits and buddies.
        """

    def run(self, destinations: np.ndarray, table: JumpTable) -> Iterator[tuple[np.ndarray, Step]]:
        """Each step of a batch, and the source of the packet that each node has after it."""
        held = np.arange(self.topology.nodes)
        for number in range(self.steps):
            step = self.step(number, destinations[held], table)
            held = held[step.taken]
            yield held, step

    def flags(self, destinations: np.ndarray, table: JumpTable) -> np.ndarray:
        """Flags of each node after a batch, uint8; all 0 where every packet has arrived."""
        moved = list(self.run(destinations, table))
        wrong = destinations[moved[-1][0]] != np.arange(self.topology.nodes)
        flags = np.where(wrong, WRONG, 0).astype(np.uint8)
        for _, step in moved:
            flags |= step.flags
        return flags
