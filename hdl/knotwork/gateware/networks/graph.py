"""Gates of graphs that users give: tables of what was made for them."""

from ...routing.graph import ROUTINGS
from ..parts.table_route import TableRoute

ROUTE_COMPUTATIONS = {routing.name: TableRoute for routing in ROUTINGS}

ESCAPE_COMPUTATIONS: dict = {}
