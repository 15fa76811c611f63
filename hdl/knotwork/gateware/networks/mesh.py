"""Gates of the mesh."""

from ..parts.factors import FactorRoute, NearerFactors

ROUTE_COMPUTATIONS = {"dimension_order": FactorRoute}

ESCAPE_COMPUTATIONS: dict = {}

NEARER_COMPUTATION = NearerFactors
