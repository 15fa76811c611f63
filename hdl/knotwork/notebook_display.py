"""Hooks by which networks and topologies show as drawings and NetworkX graphs."""

from collections.abc import Callable
from typing import Any

_drawers: list[Callable[[object], str]] = []
_graphers: list[Callable[[object], Any]] = []


def draw_with(drawer: Callable[[object], str]) -> None:
    """Have a function draw networks and topologies: from one of them, an SVG."""
    _drawers[:] = [drawer]


def graph_with(grapher: Callable[[object], Any]) -> None:
    """Have a function make NetworkX's graphs of networks and topologies."""
    _graphers[:] = [grapher]


class NotebookDisplay:
    """Object that a notebook shows as its drawing, and that converts to a NetworkX graph.

    Drawing and graph files are layers above networks and topologies, which must not import them:
    the package registers them by `draw_with` and `graph_with`.
    """

    def _repr_svg_(self) -> str | None:
        return _drawers[0](self) if _drawers else None

    def to_networkx(self) -> Any:
        """Graph of NetworkX, a `MultiGraph`, or a `MultiDiGraph` where links lead one way.

        Vertices are the routers, ``r0`` and so on, and where nodes are not routers the nodes,
        ``n0`` and so on. They and the edges have the attributes of the command ``export
        --graphml``.

        Raises
        ------
        ToolError
            NetworkX is not installed.
        """
        return _graphers[0](self)
