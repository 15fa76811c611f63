"""Gates of the rings of Petersen graphs."""

from ..parts.factors import FactorRoute

ROUTE_COMPUTATIONS = {"shortest": FactorRoute}

ESCAPE_COMPUTATIONS: dict = {}
