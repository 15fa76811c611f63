"""Networks as files for other programs: topologies, and what their channels wait for."""

from collections.abc import Callable

from ...network import Network
from .dependences import dependence_graph, require_enumerable
from .topologies import anynet, edges, graphml, node_link

FORMATS: dict[str, Callable[[Network], str]] = {
    "anynet": anynet,
    "graphml": graphml,
    "node_link": node_link,
    "edges": edges,
}
"""Texts of a topology's files by the name of their format."""

__all__ = ["FORMATS", "dependence_graph", "require_enumerable"]
