"""What a routing offers that carries out permutations and other messages by a schedule."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ..base import Routing


class Transfer(NamedTuple):
    """Way of a packet.

    Members
    -------
    source, destination : int
        Node that sends it, and the node that it is for.
    path : list of int
        Routers from the source to where it ends, each different from the one before.
    """

    source: int
    destination: int
    path: list[int]


@dataclass(frozen=True)
class Schedule:
    """Rounds in which messages are carried out.

    Members
    -------
    rounds : iterable of iterable of Transfer
        Packets of each round, those to their own node included. It may be iterated only once.
    steps : int
        Steps of all rounds; of circuits, network cycles.
    conflict_free : bool
        Whether every packet arrives and no two want the same link at once.
    facts : dict
        Further facts from the routing, by name: plain data.
    """

    rounds: Iterable[Iterable[Transfer]]
    steps: int
    conflict_free: bool
    facts: dict[str, Any]


class SchedulingRouting(Routing):
    """Routing that carries out permutations; a subclass gives `schedule`."""

    def random_permutation(self, rng: np.random.Generator) -> np.ndarray:
        """Destination of each node under a random permutation of the kind that it routes."""
        return rng.permutation(self.topology.nodes)

    @abstractmethod
    def schedule(self, destinations: np.ndarray) -> Schedule:
        """Schedule of a permutation.

        Parameters
        ----------
        destinations : ndarray
            Destination of each node, int64.
        """

    def schedule_messages(self, sources: np.ndarray, destinations: np.ndarray) -> Schedule:
        """Schedule of any messages: a node may send or get several, or none.

        Parameters
        ----------
        sources, destinations : ndarray
            Nodes of the messages, int64.

        Raises
        ------
        ConfigurationError
            The routing carries out permutations only.
        """
        del sources, destinations
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be given a permutation, not messages"
        )
