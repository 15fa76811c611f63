"""Keys of the traffic that `describe` compares routings under."""

from dataclasses import dataclass
from typing import ClassVar

from ..errors import ConfigurationError
from .base import Parameters, parameter
from .kinds import Choice, Text

PATTERNS = (
    "uniform",
    "complement",
    "transpose",
    "reversal",
    "shuffle",
    "tornado",
    "bit_rotation",
    "permutation",
)
"""Patterns, by the names that simulations have for them."""


@dataclass(frozen=True, kw_only=True)
class Pattern(Parameters):
    """Pattern of traffic, by the keys that simulations have.

    Parameters
    ----------
    traffic : str
        One of `PATTERNS`.
    permutation : str or None
        Destinations separated by commas, or the name of a permutation, for ``permutation``.

    Raises
    ------
    ConfigurationError
        A permutation with another pattern, or none with its own.
    """

    name: ClassVar[str] = "traffic"

    traffic: str = parameter(Choice(PATTERNS), help="traffic pattern", default="uniform")
    permutation: str | None = parameter(
        Text("a name or destinations a,b,..."),
        help="destinations for traffic=permutation",
        default=None,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.traffic == "permutation") != (self.permutation is not None):
            raise ConfigurationError(
                f"{self.name}: permutation must be given with traffic=permutation and only with "
                f"it, not {self.permutation!r} with traffic={self.traffic}"
            )
