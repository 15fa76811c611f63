"""Mesh of one to three dimensions."""

from dataclasses import dataclass
from typing import ClassVar

from .factors import Factor, Line
from .torus import WAYS, Grid


@dataclass(frozen=True, kw_only=True)
class Mesh(Grid):
    """Mesh of x columns, y rows and z layers; its ports are as in `Grid`.

    Parameters
    ----------
    x, y, z : int
        Columns, rows and layers, 1..1024.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    chapter 5.
    """

    name: ClassVar[str] = "mesh"

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Columns, rows, layers."""
        return tuple(Line(size, WAYS[key]) for key, size in self.lengths.items())
