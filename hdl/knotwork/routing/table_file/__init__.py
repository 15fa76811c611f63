"""Routing by a table: read from a file or made, checked, followed, and exported."""

from .export import exported
from .route_file import RouteFile
from .routing import Table
from .table_routing import TableRouting

__all__ = ["RouteFile", "Table", "TableRouting", "exported"]
