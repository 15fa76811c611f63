"""Routing by a table: read from a file or generated, checked, followed and exported."""

from .export import export_table
from .route_file import RouteFile
from .routing import Table
from .table_routing import TableRouting

__all__ = ["RouteFile", "Table", "TableRouting", "export_table"]
