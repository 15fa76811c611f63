"""Baseline networks."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Integer, parameter
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class Baseline(LeastCommonAncestor):
    """Baseline network: a complete interconnect of switches with two downers and two uppers.

    Parameters
    ----------
    levels : int
        Levels of switches, 1..16; 2^levels PEs.

    References
    ----------
    "Least Common Ancestor Networks", where it is an example.
    """

    name: ClassVar[str] = "baseline"
    elsewhere: ClassVar[str | None] = (
        "a baseline network is usually a multistage network from inputs on one side to outputs on "
        "the other; here all nodes are below level 0, and packets turn at their common ancestor"
    )

    levels: int = parameter(Integer(1, 16), help="levels of switches; 2^levels PEs")  # pyright: ignore[reportAssignmentType]

    @property
    def radices(self) -> tuple[int, ...]:
        """Downers of a switch, the same on all levels."""
        return (2,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """Uppers of a switch, the same on all levels."""
        return (2,) * self.levels
