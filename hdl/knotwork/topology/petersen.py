"""Petersen graph: as a network, and as the factor of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Choice, parameter
from .base import PublishedFact
from .factors import Factor, NextHops
from .product import ProductTopology

SPOKE, PLUS, MINUS = 1, 2, 3
"""Ports ``S``, ``Pplus`` and ``Pminus``."""

PETERSEN_CODES = Choice(("index", "word"))
"""Codes of a position in a Petersen graph."""

WORDS = (
    *("0000aa", "00aaab", "aa0abb", "aa0bbb", "00bbab"),
    *("ab00ba", "bba0bb", "abbabb", "ababbb", "bbb0bb"),
)
"""Six-symbol words u0..u4, v0..v4: their distance counts the places where a meets b."""

_SYMBOLS = {"0": 0b00, "a": 0b01, "b": 0b10}


def word_code(word: str) -> int:
    """Two bits per symbol, the first symbol in the highest bits."""
    code = 0
    for symbol in word:
        code = code << 2 | _SYMBOLS[symbol]
    return code


def word_distance(one: str, other: str) -> int:
    """Places where a meets b."""
    return sum({s, t} == {"a", "b"} for s, t in zip(one, other, strict=True))


def _neighbours() -> np.ndarray:
    """Position behind the spoke, the port along the pentagon or pentagram, and the one back."""
    i = np.arange(5)
    outer = np.stack([5 + i, (i + 1) % 5, (i - 1) % 5], axis=1)
    inner = np.stack([i, 5 + (i + 2) % 5, 5 + (i - 2) % 5], axis=1)
    return np.concatenate([outer, inner]).astype(np.int32)


NEIGHBOURS = _neighbours()
"""Position behind each of the three ports, (10, 3)."""
DISTANCES = np.array([[word_distance(one, other) for other in WORDS] for one in WORDS])
"""Hops between all positions, (10, 10)."""
NEXT_PORTS = np.where(np.eye(10, dtype=bool), 0, 1 + DISTANCES[NEIGHBOURS].argmin(axis=1))
"""Port `SPOKE`, `PLUS` or `MINUS` to take at a position to another, (10, 10); 0 where they are one.

Every shortest path is the only one.
"""
NEXT_CLASSES = (DISTANCES == 1).astype(np.int64)
"""Virtual-channel class of that hop, (10, 10): 1 for a path's last hop, 0 for one before it."""
GRID = (5, 2)
"""Columns and rows of positions in a placement: ``u_i`` above ``v_i``."""


@dataclass(frozen=True)
class PetersenGraph(Factor):
    """Outer pentagon ``u_0``..``u_4``, inner pentagram ``v_0``..``v_4``, five spokes.

    Parameters
    ----------
    code_name : str
        ``"index"`` or ``"word"``.
    """

    code_name: str
    size: ClassVar[int] = 10  # pyright: ignore[reportIncompatibleVariableOverride]
    ports: ClassVar[tuple[str, ...]] = (  # pyright: ignore[reportIncompatibleVariableOverride]
        *("S", "Pplus", "Pminus"),
    )
    peers: ClassVar[tuple[int, ...]] = (  # pyright: ignore[reportIncompatibleVariableOverride]
        *(0, 2, 1),
    )
    cut: ClassVar[int] = 5

    @property
    def neighbours(self) -> np.ndarray:
        """See `NEIGHBOURS`."""
        return NEIGHBOURS

    @property
    def width(self) -> int:
        """Four bits, or two per symbol."""
        return 4 if self.code_name == "index" else 12

    def code(self, position: int) -> int:
        """Index or word."""
        return position if self.code_name == "index" else word_code(WORDS[position])

    def position_at(self, code: int) -> int | None:
        """Position whose index or word this is."""
        codes = [self.code(position) for position in range(self.size)]
        return codes.index(code) if code in codes else None

    def label(self, position: int) -> str:
        """Six-symbol word."""
        return WORDS[position]

    def distance(self, a: int, b: int) -> int:
        """0, 1 or 2."""
        return int(DISTANCES[a, b])

    @property
    def diameter(self) -> int:
        """Two."""
        return 2

    @property
    def distance_sum(self) -> int:
        """From each, three of one hop and six of two."""
        return 150

    @property
    def heaviest_load(self) -> tuple[int, int]:
        """Fifteen links, all alike."""
        return self.distance_sum, 15

    @property
    def path_classes(self) -> int:
        """Two: on one channel, paths of two hops round a pentagon would wait for each other."""
        return 2

    @property
    def next_hops(self) -> NextHops:
        """See `NEXT_PORTS` and `NEXT_CLASSES`."""
        return NextHops(NEXT_PORTS - 1, NEXT_CLASSES)

    @property
    def position_groups(self) -> np.ndarray:
        """All in one group."""
        return np.zeros(self.size, np.int64)

    @property
    def ranks(self) -> np.ndarray:
        """All 0: no path has two hops in one class."""
        return np.zeros((self.size, len(self.ports)), np.int64)


def petersen_layout() -> np.ndarray:
    """Pentagon of radius 1 around a pentagram, float64 of shape (10, 2)."""
    angle = 2 * np.pi * np.arange(5) / 5
    around = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    return np.concatenate([around, 0.5 * around])


@dataclass(frozen=True, kw_only=True)
class Petersen(ProductTopology):
    """Petersen graph: ten nodes, degree 3, diameter 2.

    Parameters
    ----------
    petersen_code : str
        Address: ``"index"``, or the six-symbol ``"word"``.

    References
    ----------
    Spokes and words as in `Tcpg`.
    """

    name: ClassVar[str] = "petersen"
    elsewhere: ClassVar[str | None] = (
        "the generalized Petersen graphs P(n, k) are a family; this is P(5, 2) alone"
    )

    petersen_code: str = parameter(
        PETERSEN_CODES, help="address code of a node in a Petersen graph", default="index"
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The graph itself."""
        return (PetersenGraph(self.petersen_code),)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """What Liu and Han say of one Petersen graph."""
        del groups
        where = "Liu and Han, 2.3"
        return (
            PublishedFact("degree", "3", 3, f"{where}, property 1", ""),
            PublishedFact("links", "15", 15, f"{where}, property 5", ""),
            PublishedFact("diameter", "2", 2, f"{where}, property 3", ""),
            PublishedFact("bisection", "5", 5, f"{where}, property 6", ""),
        )

    def layout(self) -> np.ndarray:
        """See `petersen_layout`."""
        return petersen_layout()
