"""Data network of the Connection Machine CM-5."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Integer, Integers, parameter
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class Cm5(LeastCommonAncestor):
    """CM-5: complete interconnect of switches with four children, and two or four uppers.

    Parameters
    ----------
    levels : int
        Levels of switches, 2..8; 4^levels PEs.
    u : tuple of int or None
        Uppers of a switch, by level, 1..16 each; None for two on the lowest two levels and four
        above.

    References
    ----------
    "Least Common Ancestor Networks", which names CB-LCAN(4,2) and CB-LCAN(4,4) as its parts and
    leaves the rest open: this is one consistent reading.
    """

    name: ClassVar[str] = "cm5"

    levels: int = parameter(Integer(2, 8), help="levels of switches; 4^levels PEs")  # pyright: ignore[reportAssignmentType]
    u: tuple[int, ...] = parameter(
        Integers(1, 16),
        help="uppers per switch, by level (default: 2,2,4,4,...)",
        default=None,
    )

    def __post_init__(self) -> None:
        if self.u is None and isinstance(self.levels, int):
            object.__setattr__(self, "u", (2, 2, *(4,) * (self.levels - 2)))
        super().__post_init__()

    def refusal(self) -> str | None:
        """As many entries as levels."""
        if len(self.u) == self.levels:
            return None
        return f"u must have {self.levels} entries, one per level, not {len(self.u)}"

    @property
    def radices(self) -> tuple[int, ...]:
        """All 4."""
        return (4,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """The parameter u."""
        return self.u
