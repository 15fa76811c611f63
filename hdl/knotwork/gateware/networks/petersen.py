"""Gates of the Petersen graph."""

from ..parts.factors import FactorRoute

ROUTE_COMPUTATIONS = {"shortest": FactorRoute}

ESCAPE_COMPUTATIONS: dict = {}
