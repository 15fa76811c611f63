"""Graphs that users give: files in several formats, checked and made into routers and ports."""

from .graph_file import GraphFile

__all__ = ["GraphFile"]
