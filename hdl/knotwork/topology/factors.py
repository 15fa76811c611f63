"""Factors of product networks: rings, lines, and what a factor tells of itself."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .johnson import johnson_code, johnson_value


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
    is_transitive : bool
        Whether every position is like every other.
    cut : int
        Fewest links that part the positions into two halves; or, of an odd number, into two parts
        and one position, with links to both.
    """

    size: int
    ports: tuple[str, ...]
    peers: tuple[int, ...]
    is_transitive: ClassVar[bool] = True
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


@dataclass(frozen=True)
class Row(Factor):
    """Positions in a row, with a port to the one before and one to the one after.

    Parameters
    ----------
    size : int
        Positions.
    ports : tuple of str
        Names of the ports to the position before and to the one after.
    code_name : str
        ``"binary"`` or ``"johnson"``.
    is_coded_label : bool
        Whether labels are Johnson codes; else they are decimal numbers.
    """

    size: int
    ports: tuple[str, ...]
    code_name: str = "binary"
    is_coded_label: bool = False
    peers: ClassVar[tuple[int, ...]] = (1, 0)  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def width(self) -> int:
        """Bits of a number, or half the positions."""
        return self.size // 2 if self.code_name == "johnson" else (self.size - 1).bit_length()

    def code(self, position: int) -> int:
        """Position, or its Johnson code."""
        return johnson_code(self.width, position) if self.code_name == "johnson" else position

    def position_at(self, code: int) -> int | None:
        """Position whose code this is."""
        if self.code_name == "johnson":
            return johnson_value(self.width, code)
        return code if code < self.size else None

    def label(self, position: int) -> str:
        """Decimal number or Johnson code."""
        bits = self.size // 2
        return f"{johnson_code(bits, position):0{bits}b}" if self.is_coded_label else str(position)


@dataclass(frozen=True)
class Ring(Row):
    """Positions in a ring; of two positions, one of two links."""

    cut: ClassVar[int] = 2

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Before and after, round the ring."""
        here = np.arange(self.size, dtype=np.int32)
        return np.stack([(here - 1) % self.size, (here + 1) % self.size], axis=1)

    def distance(self, a: int, b: int) -> int:
        """The shorter way round."""
        return min((a - b) % self.size, (b - a) % self.size)

    @property
    def diameter(self) -> int:
        """Half way round."""
        return self.size // 2

    @property
    def distance_sum(self) -> int:
        """A quarter of the square from each, rounded down."""
        return self.size * (self.size**2 // 4)

    @property
    def heaviest_load(self) -> tuple[int, int]:
        """All links alike."""
        return self.distance_sum, self.size


@dataclass(frozen=True)
class OneWayRing(Row):
    """Positions in a ring whose links lead to the next position only.

    Its one port sends to the position after and receives from the one before.
    """

    cut: ClassVar[int] = 2
    peers: ClassVar[tuple[int, ...]] = (0,)  # pyright: ignore[reportIncompatibleVariableOverride]

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """After, round the ring."""
        return (np.arange(1, self.size + 1, dtype=np.int32) % self.size)[:, None]

    def distance(self, a: int, b: int) -> int:
        """The only way round."""
        return (b - a) % self.size

    @property
    def diameter(self) -> int:
        """To the position before."""
        return self.size - 1

    @property
    def distance_sum(self) -> int:
        """0 to size - 1 from each."""
        return self.size * (self.size * (self.size - 1) // 2)

    @property
    def heaviest_load(self) -> tuple[int, int]:
        """Of a ring: how few links part two halves does not depend on their directions."""
        return Ring(self.size, ("", "")).heaviest_load


@dataclass(frozen=True)
class Line(Row):
    """Positions in a row with two ends."""

    cut: ClassVar[int] = 1
    is_transitive: ClassVar[bool] = False

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Before and after."""
        here = np.arange(self.size, dtype=np.int32)
        after = np.where(here < self.size - 1, here + 1, -1).astype(np.int32)
        return np.stack([here - 1, after], axis=1)

    def distance(self, a: int, b: int) -> int:
        """Difference."""
        return abs(a - b)

    @property
    def diameter(self) -> int:
        """From end to end."""
        return self.size - 1

    @property
    def distance_sum(self) -> int:
        """A third of the cube, less of the size."""
        return self.size * (self.size**2 - 1) // 3

    @property
    def heaviest_load(self) -> tuple[int, int]:
        """The middle."""
        return 2 * (self.size // 2) * ((self.size + 1) // 2), 1
