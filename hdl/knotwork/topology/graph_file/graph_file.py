"""Graph of a user: read from a file of any format, or declared in Python; and its layout."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self

import numpy as np

from ...errors import ConfigurationError
from ...files import AnyPath, as_path, sha256
from .builder import GraphBuilder, GraphData, Link

READERS = {
    ".graphml": "formats:read_graphml",
    ".json": "formats:read_node_link",
    ".edges": "formats:read_edges",
    ".anynet": "formats:read_anynet",
    ".csv": "formats:read_matrix",
}
"""Module and function that read files, by the ending of the name; a module loads when needed."""

ENDINGS = f"{', '.join([*READERS][:-1])} or {[*READERS][-1]}"
"""Endings, in words."""


@dataclass(frozen=True)
class GraphFile:
    """Routers, nodes and links that a user gives.

    Members
    -------
    name : str
        Name of the file, or empty.
    routers : tuple of str
        Labels of the routers.
    nodes : tuple of (str, int)
        Label and router of each node.
    links : tuple of Link
        Links.
    """

    name: str
    routers: tuple[str, ...]
    nodes: tuple[tuple[str, int], ...]
    links: tuple[Link, ...]

    @classmethod
    def read(cls, path: AnyPath) -> Self:
        """Graph in a file; the ending of its name says how it is written.

        Raises
        ------
        ConfigurationError
            A file that cannot be read, or what is wrong in it; names the line.
        """
        path = as_path(path, "a graph file")
        if path.suffix.lower() not in READERS:
            raise ConfigurationError(f"graph: file must end in {ENDINGS}, not {path.name!r}")
        read: Callable[[Path], GraphData] = resolve_name(
            f"{__package__}.{READERS[path.suffix.lower()]}"
        )
        return cls(path.name, *read(path))

    @classmethod
    def from_node_link(cls, name: str, graph: object) -> Self:
        """Graph in node-link form, as a JSON file of that name would hold it.

        Raises
        ------
        ConfigurationError
            What such a file may not say.
        """
        from .formats import parse_node_link

        return cls(name, *parse_node_link(name, graph))

    @classmethod
    def of(
        cls,
        links: Iterable[tuple[int, ...]],
        *,
        nodes: Iterable[int] | None = None,
        directed: bool = False,
        name: str = "",
    ) -> Self:
        """Graph that a program gives.

        Parameters
        ----------
        links : iterable of (int, int) or (int, int, int)
            Routers that each link joins, numbered from 0, and its latency if that is not 1 cycle.
        nodes : iterable of int, optional
            How many nodes each router has; one if unnamed.
        directed : bool
            Whether a link leads from the first to the second only.
        name : str
            Name of the graph.

        Raises
        ------
        ConfigurationError
            What no file may say either.
        """
        ends, counts = [(*link, 1)[:3] for link in links], None if nodes is None else list(nodes)
        builder = GraphBuilder(name or "graph")
        builder.add_routers(len(counts or ()))
        for first, second, _ in ends:
            builder.add_numbered_router(first)
            builder.add_numbered_router(second)
        builder.add_routers(1)
        for router, count in enumerate(counts or ()):
            builder.set_nodes(router, count, f"router {router}:")
        for place, (first, second, latency) in enumerate(ends):
            builder.add_link(
                first, second, f"links[{place}]:", two_way=not directed, latency=latency
            )
        return cls(name, *builder.build())

    def to_dict(self) -> dict[str, Any]:
        """Content as JSON values."""
        return {name: getattr(self, name) for name in ("name", "routers", "nodes", "links")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Graph from what `to_dict` gave."""
        nodes = tuple((label, router) for label, router in data["nodes"])
        links = tuple(Link(*link) for link in data["links"])
        return cls(data["name"], tuple(data["routers"]), nodes, links)

    def __str__(self) -> str:
        return f"{self.name or f'{len(self.routers)} routers'} (sha256 {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the graph; the file's name does not matter."""
        links = [tuple(link if link.latency > 1 else link[:3]) for link in self.links]
        content = repr((self.routers, self.nodes, links))
        return sha256(content.encode())


SEED = 1


def force_layout(vertices: int, ends: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places by springs along the edges and a repulsion of all vertices; the same at every call.

    Parameters
    ----------
    vertices : int
        Vertices.
    ends : sequence of (int, int)
        Vertices that each edge joins.

    Returns
    -------
    ndarray
        float64 of shape (vertices, 2).
    """
    import rustworkx as rx

    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from_no_data(list(ends))
    turn = 2 * np.pi / max(vertices, 1)
    circle = {v: (float(np.sin(turn * v)), float(-np.cos(turn * v))) for v in range(vertices)}
    places = rx.spring_layout(graph, pos=circle, num_iter=1000, seed=SEED)
    return np.array([places[vertex] for vertex in range(vertices)], float)
