"""Factors of product networks: their interface, lines and rings, and the Johnson code of rings.

The Johnson code is the code of a twisted ring counter, for rings of an even number of nodes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ..errors import ConfigurationError
from .base import Numbers

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
        Whether the positions form a row, each linked to the next.
    wrap : int
        How the ends of a row are joined: `NO_WRAP`, `TWO_WAY` or `ONE_WAY`.
    ties_back : bool
        Whether every path half way round a ring goes backward.
    is_transitive : bool
        Whether the factor looks the same from every position.
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


def johnson_bits(size: int, *, owner: str, key: str) -> int:
    """Bits of the code of a ring: half its nodes.

    Raises
    ------
    ConfigurationError
        An odd ring: more than one bit would change from its last code to its first.
    """
    if size % 2:
        raise ConfigurationError(
            f"{owner}: {key} must be even with ring_code=johnson, because more than one bit "
            f"changes from the last code of an odd ring to its first, not {size}"
        )
    return size // 2


def johnson_code(bits: int, value: int) -> int:
    """Code of a value 0..2 bits - 1: ones are shifted in from below, and then zeros."""
    every = (1 << bits) - 1
    return (1 << value) - 1 if value < bits else every - ((1 << (value - bits)) - 1)


def johnson_value(bits: int, code: int) -> int | None:
    """Value whose code this is; None where it is not a code."""
    ones = code.bit_count()
    value = ones if not code >> (bits - 1) or ones == bits else 2 * bits - ones
    return value if johnson_code(bits, value) == code else None


LONG = 16
"""Positions of a row from which on only the parity of its length matters for its turns."""


def ring_hop(size: int, here: Numbers, there: Numbers, ties_back: bool) -> tuple[Numbers, Numbers]:
    """Whether to go to the next position of a ring, and whether in class 1; arrays are welcome.

    Of two ways of equal length the path takes the one forward from an even position and the one
    backward from an odd one, so that both ways carry as much; with `ties_back` always the one
    backward. It is in class 1 after the dateline, between the last position and the first, and
    everywhere if it does not pass it.
    """
    ahead = (there - here) % size * 2
    forward = (ahead < size) | (ahead == size) & (here % 2 == 0) & (not ties_back)
    return forward, (there > here) == forward


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
    is_row: ClassVar[bool] = True
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

    @property
    def position_groups(self) -> np.ndarray:
        """First, inner ones, last."""
        group = np.ones(self.size, np.int64)
        group[0], group[-1] = 0, min(self.size - 1, 2)
        return group

    @property
    def group_names(self) -> tuple[str, ...]:
        """First, inner, last."""
        return "first", "inner", "last"

    @property
    def ranks(self) -> np.ndarray:
        """Position, or positions to the first, by the way that a port leads."""
        here = np.arange(self.size)
        return np.stack([self.size - 1 - here, here], axis=1)[:, -len(self.ports) :]

    def shortened(self) -> Factor:
        """Shorter row, of as many positions modulo 2: more of the same hops add no turns."""
        return replace(self, size=LONG + self.size % 2) if self.size > LONG else self


@dataclass(frozen=True)
class Ring(Row):
    """Positions in a ring; of two positions, one of two links.

    Parameters
    ----------
    ties_back : bool
        Whether every path half way round goes backward: see `ring_hop`.
    """

    ties_back: bool = False
    cut: ClassVar[int] = 2
    wrap: ClassVar[int] = TWO_WAY

    @property
    def path_classes(self) -> int:
        """Two, but one on rings of up to three, where no path has two hops.

        One on rings of four too, unless ties go back: the paths of two hops begin at every second
        position, so no two of them follow each other.
        """
        return 2 if self.size > (3 if self.ties_back else 4) else 1

    @property
    def position_groups(self) -> np.ndarray:
        """First, inner ones, last; in a ring of four, each position unless ties go back."""
        return np.arange(4) if self._goes_on_one_way else super().position_groups

    @property
    def group_names(self) -> tuple[str, ...]:
        """The same; in a ring of four, a word for each position."""
        four = "first", "second", "third", "last"
        return four if self._goes_on_one_way else super().group_names

    @property
    def _goes_on_one_way(self) -> bool:
        """Whether all packets that go on at a position go the same way."""
        return self.size == 4 and not self.ties_back

    @property
    def next_hops(self) -> NextHops:
        """See `ring_hop`."""
        here, there = np.ogrid[: self.size, : self.size]
        forward, late = ring_hop(self.size, here, there, self.ties_back)
        return NextHops(forward.astype(np.int64), late.astype(np.int64))

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
    wrap: ClassVar[int] = ONE_WAY
    peers: ClassVar[tuple[int, ...]] = (0,)  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def path_classes(self) -> int:
        """Two, but one on a ring of two, where no path has two hops."""
        return 2 if self.size > 2 else 1

    @property
    def next_hops(self) -> NextHops:
        """Always the one port; in class 1 after the dateline, and if the path does not pass it."""
        here, there = np.ogrid[: self.size, : self.size]
        port = np.zeros((self.size, self.size), np.int64)
        return NextHops(port, (there > here).astype(np.int64))

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
        """That of a ring: the cut between two halves does not depend on the links' directions."""
        return Ring(self.size, ("", "")).heaviest_load


@dataclass(frozen=True)
class Line(Row):
    """Positions in a row with two ends."""

    cut: ClassVar[int] = 1
    wrap: ClassVar[int] = NO_WRAP
    is_transitive: ClassVar[bool] = False

    @property
    def path_classes(self) -> int:
        """One."""
        return 1

    @property
    def next_hops(self) -> NextHops:
        """Towards the destination, in class 0."""
        here, there = np.ogrid[: self.size, : self.size]
        vc_class = np.zeros((self.size, self.size), np.int64)
        return NextHops((there > here).astype(np.int64), vc_class)

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
