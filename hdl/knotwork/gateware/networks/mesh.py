"""Gates of the mesh."""

from ..parts.factors import FactorRoute, NearerFactors
from ..parts.o1turn_route import EitherOrder

ROUTE_COMPUTATIONS = {"dimension_order": FactorRoute, "o1turn": EitherOrder}

ESCAPE_COMPUTATIONS: dict = {}

NEARER_COMPUTATION = NearerFactors
