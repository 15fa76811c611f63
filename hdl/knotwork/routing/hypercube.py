"""Routings of the hypercube."""

from typing import ClassVar

from .dimension_order import HighestDimensionFirst


class ECube(HighestDimensionFirst):
    """E-cube: dimensions in falling order.

    References
    ----------
    H. Sullivan and T. R. Bashkow, "A large scale, homogeneous, fully distributed parallel machine",
    ISCA 1977. The order (high to low) is the one that multicast over it relies on.
    """

    name: ClassVar[str] = "ecube"


ROUTINGS = (ECube,)
