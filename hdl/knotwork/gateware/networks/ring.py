"""Gates of the ring."""

from ..parts.factors import FactorRoute

ROUTE_COMPUTATIONS = {"dimension_order": FactorRoute}

ESCAPE_COMPUTATIONS: dict = {}
