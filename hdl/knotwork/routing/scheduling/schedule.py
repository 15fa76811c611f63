"""Interface of routings that carry out permutations and other messages by a schedule."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ..base import Routing


class Transfer(NamedTuple):
    """Path of a packet.

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


class PacketMove(NamedTuple):
    """PacketMove of a packet in a step.

    Members
    -------
    source, destination : int
        Node that sent it, and the node that it is for.
    hops : list of (int, int)
        Routers that it leaves in this step, each with the port.
    end : int
        Where it is then: a router, or -1 for its own node.
    """

    source: int
    destination: int
    hops: list[tuple[int, int]]
    end: int


class Frame(NamedTuple):
    """Moves of one step of a schedule, which happen at once.

    Members
    -------
    caption : str
        Line that describes the step.
    moves : list of PacketMove
        Packets that move.
    arrived : list of int
        Nodes whose own packets they hold afterwards.
    """

    caption: str
    moves: list[PacketMove]
    arrived: list[int]


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

    def random_permutation(self, rng: "np.random.Generator") -> np.ndarray:
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

    def frames(self, sources: np.ndarray, destinations: np.ndarray) -> Iterator[Frame]:
        """What happens in each step, for a picture; parameters as for `schedule_messages`.

        Raises
        ------
        ConfigurationError
            The routing has no steps to draw.
        """
        del sources, destinations
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be one with steps to be drawn"
        )
