"""What a factor of a product network tells of itself."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

NO_WRAP, TWO_WAY, ONE_WAY = range(3)
"""How the ends of a row are joined: not at all, by a link both ways, or all links one way only."""


class NextHops(NamedTuple):
    """Next hop of a shortest path from each position to each other, int of shape (size, size).

    Members
    -------
    port : ndarray
        Port of the factor to take, from 0; arbitrary on the diagonal.
    vc_class : ndarray
        Virtual-channel class of the hop, 0 or 1; arbitrary on the diagonal.
    """

    port: np.ndarray
    vc_class: np.ndarray


class Factor(ABC):
    """Small graph whose copies make up a product network.

    Members
    -------
    size : int
        Positions.
    ports : tuple of str
        Names of the ports at every position.
    peers : tuple of int
        By port, the one at the link's other end.
    code_name : str
        Which code of a position the hardware carries.
    is_row : bool
        Whether the positions stand in a row, each linked to the one after it.
    wrap : int
        How the ends of a row are joined: `NO_WRAP`, `TWO_WAY` or `ONE_WAY`.
    ties_back : bool
        Whether every path half way round a ring goes backward.
    is_transitive : bool
        Whether every position is like every other.
    cut : int
        Fewest links between two halves of the positions. Of an odd number of positions, one is left
        out, with links to both halves.
    """

    size: int
    ports: tuple[str, ...]
    peers: tuple[int, ...]
    code_name: str
    is_row: ClassVar[bool] = False
    wrap: ClassVar[int] = NO_WRAP
    is_transitive: ClassVar[bool] = True
    ties_back: bool = False
    cut: ClassVar[int]

    @property
    @abstractmethod
    def neighbours(self) -> np.ndarray:
        """Position behind each port, int32 of shape (size, ports); -1 where there is none."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Bits of a position's code."""

    @abstractmethod
    def code(self, position: int) -> int:
        """Code that the hardware carries."""

    @abstractmethod
    def position_at(self, code: int) -> int | None:
        """Position whose code this is; None where it is none's."""

    @abstractmethod
    def label(self, position: int) -> str:
        """Printable name of a position."""

    @abstractmethod
    def distance(self, a: int, b: int) -> int:
        """Hops of a shortest path."""

    @property
    @abstractmethod
    def diameter(self) -> int:
        """Largest distance."""

    @property
    @abstractmethod
    def distance_sum(self) -> int:
        """Distances of all ordered pairs, added up."""

    @property
    @abstractmethod
    def heaviest_load(self) -> tuple[int, int]:
        """Packets over the busiest link, both ways, of one packet for each ordered pair.

        As a fraction: shortest paths can be spread so that no link has more.
        """

    @property
    @abstractmethod
    def path_classes(self) -> int:
        """Virtual-channel classes with which no shortest paths wait for each other in a ring."""

    @property
    @abstractmethod
    def next_hops(self) -> NextHops:
        """Next hops of shortest paths, in `path_classes` classes."""

    @property
    @abstractmethod
    def position_groups(self) -> np.ndarray:
        """Group of each position, int: those of one group have the same ports and turns."""

    @property
    def group_names(self) -> tuple[str, ...]:
        """Words for the groups of `position_groups` of a row, in names of modules."""
        return ()

    @property
    @abstractmethod
    def ranks(self) -> np.ndarray:
        """Rank 0..size - 1 of each position's channels, int of shape (size, ports).

        A hop within one class goes to a channel of higher rank.
        """

    def shortened(self) -> "Factor":
        """Factor of few positions in which shortest paths take the same kinds of turns."""
        return self
