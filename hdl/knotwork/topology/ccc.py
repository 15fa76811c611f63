"""Cube-connected cycles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .base import PublishedFact, Topology
from .layouts import ring_cube_layout

FORWARD, BACKWARD, LATERAL = 1, 2, 3
"""Ports ``F``, ``B`` and ``L``."""


@dataclass(frozen=True, kw_only=True)
class CubeConnectedCycles(Topology):
    """Cube-connected cycles: a hypercube of rings, one dimension per position on a ring.

    The low y bits of an address are the place on the cycle, the x high bits the cycle's number; y
    is the least with y + 2^y >= n. ``F`` leads to the next place and ``B`` to the one before. At
    place a, ``L`` leads to the same place on the cycle whose number differs in bit a, so places
    from x on have no ``L``. With y = 1, ``F`` and ``B`` lead to the same router by two links.

    Parameters
    ----------
    n : int
        Bits of an address, 2..20.

    References
    ----------
    F. P. Preparata and J. Vuillemin, "The cube-connected cycles: a versatile network for parallel
    computation", Comm. ACM 24(5), 1981. Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles",
    J. Comput. Sci. & Technol. 10, 1995, section 2.
    """

    name: ClassVar[str] = "ccc"
    elsewhere: ClassVar[str | None] = (
        "the textbook's CCC(n) has n * 2^n nodes, a ring of n at each corner of an n-cube; here n "
        "counts the bits of an address, so there are 2^n nodes, in rings of 2^y"
    )
    mark: ClassVar[str] = "lateral"

    n: int = parameter(Integer(2, 20), help="bits of an address; 2^n nodes")

    @property
    def cycle_bits(self) -> int:
        """Bits of a place on a cycle, y."""
        return next(y for y in range(self.n) if y + (1 << y) >= self.n)

    @property
    def cube_bits(self) -> int:
        """Bits of a cycle's number, x: lateral links of a cycle."""
        return self.n - self.cycle_bits

    @property
    def cycle_length(self) -> int:
        """Routers of a cycle, 2^y."""
        return 1 << self.cycle_bits

    @property
    def nodes(self) -> int:
        """2^n."""
        return 1 << self.n

    @property
    def address_width(self) -> int:
        """Bits of the cycle's number and of the place on it."""
        return self.n

    @property
    def ports(self) -> tuple[str, ...]:
        """``local``, ``F``, ``B``, ``L``."""
        return ("local", "F", "B", "L")

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Ports and steps of Liu, Liu and Zhang."""
        del groups
        length = self.cycle_length
        return (
            PublishedFact("nodes", "2^n", self.nodes, "Liu, Liu, Zhang, 2", ""),
            PublishedFact("largest degree", "3", 3, "Liu, Liu, Zhang, 2", "", "at most"),
            PublishedFact(
                "steps of",
                "2^(y+1) + 2^y - 1 + 2^(y+1)",
                5 * length - 1,
                "Liu, Liu, Zhang, 3.3",
                "sorting 2^y packets by odd-even exchanges takes 2^y rounds, not 2^y - 1",
                of="lc2",
            ),
        )

    def cycle_position(self, router: int) -> int:
        """Place of a router on its cycle, 0..2^y - 1."""
        return router & (self.cycle_length - 1)

    @property
    def representatives(self) -> np.ndarray:
        """One cycle: XOR of a constant on the cycles' numbers is an automorphism."""
        return np.arange(self.cycle_length)

    @cached_property
    def neighbours(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Router behind each port."""
        router = np.arange(self.nodes, dtype=np.int32)
        place, last = router % self.cycle_length, self.cycle_length - 1
        table = np.full((self.nodes, 4), -1, np.int32)
        table[:, FORWARD] = router - place + (place + 1 & last)
        table[:, BACKWARD] = router - place + (place - 1 & last)
        lateral = place < self.cube_bits
        table[lateral, LATERAL] = (router ^ self.cycle_length << place)[lateral]
        return table

    @cached_property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """``F`` meets ``B``, ``L`` meets ``L``."""
        other = np.array([-1, BACKWARD, FORWARD, LATERAL], np.int32)
        return np.where(self.neighbours >= 0, other, -1).astype(np.int32)

    def is_link_marked(self, router: int, port: int) -> bool:
        """Lateral links."""
        del router
        return port == LATERAL

    def layout(self) -> np.ndarray:
        """Rings at the places of a hypercube's nodes, each turned so that its links face theirs.

        A ring is turned, or mirrored and turned, to bring the ends of its lateral links near to
        where they lead, those of short links above all.
        """
        length, lateral = self.cycle_length, self.cube_bits
        middles = ring_cube_layout(lateral) @ np.array([1, 1j])  # the plane as complex numbers
        cycles = np.arange(len(middles))[:, None]
        away = middles[cycles ^ 1 << np.arange(lateral)] - middles[:, None]
        around = np.exp(2j * np.pi * np.arange(length) / length)
        senses = np.stack([around, around.conj()])
        # The turn that brings most of `senses` to where `away` points, by cycle and sense.
        turns = (away / np.abs(away) ** 3) @ senses[:, :lateral].conj().T
        best = np.abs(turns).argmax(axis=1)
        turn = turns[cycles[:, 0], best]
        radius = min(0.5 / (1 + np.sin(np.pi / length)), _LARGEST_RING)
        rings = middles[:, None] + radius * (turn / np.abs(turn))[:, None] * senses[best]
        return np.stack([rings.real, rings.imag], axis=-1).reshape(-1, 2)


_LARGEST_RING = 0.33  # radius, where the middles of the nearest rings are 1 apart
