"""Two-dimensional mesh."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..parameters import Integer, parameter
from .factors import Factor
from .product import ProductTopology
from .rings import Line
from .torus import ROWS_AND_COLUMNS, grid


@dataclass(frozen=True, kw_only=True)
class Mesh(ProductTopology):
    """Mesh of x columns and y rows.

    ``L`` and ``R`` lead to columns x - 1 and x + 1, ``U`` and ``D`` to rows y - 1 and y + 1.

    Parameters
    ----------
    x, y : int
        Columns and rows, 2..1024.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    chapter 5.
    """

    name: ClassVar[str] = "mesh"
    elsewhere: ClassVar[str | None] = ROWS_AND_COLUMNS

    x: int = parameter(Integer(2, 1024), help="columns")
    y: int = parameter(Integer(2, 1024), help="rows")

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Columns, rows."""
        return Line(self.x, ("L", "R")), Line(self.y, ("U", "D"))

    def layout(self) -> np.ndarray:
        """Rows and columns."""
        return grid(self.x, self.y)
