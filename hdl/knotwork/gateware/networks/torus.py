"""Gates of the torus."""

from ..parts.factors import FactorRoute
from ..parts.o1turn_route import EitherOrder

ROUTE_COMPUTATIONS = {"dimension_order": FactorRoute, "o1turn": EitherOrder}

ESCAPE_COMPUTATIONS: dict = {}
