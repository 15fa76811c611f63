"""Network of the Texas Reconfigurable Array Computer."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Integer, parameter
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class Trac(LeastCommonAncestor):
    """TRAC: a complete interconnect of switches with three downers and two uppers.

    Parameters
    ----------
    levels : int
        Levels of switches, 1..12; 3^levels PEs.

    References
    ----------
    "Least Common Ancestor Networks", where it is an example.
    """

    name: ClassVar[str] = "trac"

    levels: int = parameter(Integer(1, 12), help="levels of switches; 3^levels PEs")  # pyright: ignore[reportAssignmentType]

    @property
    def radices(self) -> tuple[int, ...]:
        """Downers of a switch, the same on all levels."""
        return (3,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """Uppers of a switch, the same on all levels."""
        return (2,) * self.levels
