"""SW-banyan networks."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Integer, parameter
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class SwBanyan(LeastCommonAncestor):
    """SW-banyan (f, s, levels): a complete interconnect of switches with f downers, s uppers.

    Parameters
    ----------
    f : int
        Fan-out: downers per switch, 2..16.
    s : int
        Spread: uppers per switch, 1..16.
    levels : int
        Levels of switches, 1..16; f^levels PEs.

    References
    ----------
    "Least Common Ancestor Networks", where it is an example.
    """

    name: ClassVar[str] = "sw_banyan"

    f: int = parameter(Integer(2, 16), help="downers per switch (fan-out)")
    s: int = parameter(Integer(1, 16), help="uppers per switch (spread)")
    levels: int = parameter(Integer(1, 16), help="levels of switches; f^levels PEs")  # pyright: ignore[reportAssignmentType]

    @property
    def radices(self) -> tuple[int, ...]:
        """Downers of a switch, the same on all levels."""
        return (self.f,) * self.levels

    @property
    def uppers(self) -> tuple[int, ...]:
        """Uppers of a switch, the same on all levels."""
        return (self.s,) * self.levels
