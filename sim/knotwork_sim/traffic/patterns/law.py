"""What a law says of the destinations of packets."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np


class Shares(NamedTuple):
    """Destinations of a node's packets.

    Members
    -------
    destinations : ndarray
        Nodes, int64; one may stand several times.
    shares : ndarray
        Probability of each, float64; their sum is 1 if there is any destination.
    """

    destinations: np.ndarray
    shares: np.ndarray


class Law(ABC):
    """Destinations of all nodes' packets."""

    @property
    @abstractmethod
    def pairs(self) -> int:
        """Pairs of source and destination between which packets may go, at most."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Destinations of packets from these sources, int64."""

    @abstractmethod
    def shares(self, node: int) -> Shares:
        """Destinations of a node's packets."""
