"""Routing by a table that users write: read from a file, checked, followed, and exported."""

from .export import exported
from .route_file import RouteFile
from .routing import Table

__all__ = ["RouteFile", "Table", "exported"]
