"""Routing by a table: read from a file or generated, checked, followed and exported."""

from .route_file import RouteFile
from .table_routing import Table, TableRouting, export_table

__all__ = ["RouteFile", "Table", "TableRouting", "export_table"]
