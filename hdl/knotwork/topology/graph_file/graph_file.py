"""A graph as a file or a Python program gives it."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from ...errors import ConfigurationError
from ...files import AnyPath, as_path
from .builder import GraphBuilder, GraphData
from .wiring import Link

READERS = {
    ".graphml": "graphml",
    ".json": "node_link",
    ".edges": "edges",
    ".anynet": "anynet",
    ".csv": "matrix",
}
"""Modules that read files, by the ending of the name."""

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
        reader = import_module(f"{__package__}.{READERS[path.suffix.lower()]}")
        read: Callable[[Path], GraphData] = reader.read
        return cls(path.name, *read(path))

    @classmethod
    def from_node_link(cls, name: str, graph: object) -> Self:
        """Graph in node-link form, as a JSON file of that name would hold it.

        Raises
        ------
        ConfigurationError
            What such a file may not say.
        """
        from .node_link import parse_node_link

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
        return hashlib.sha256(content.encode()).hexdigest()
