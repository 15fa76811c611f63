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
from .builder import Given, GraphBuilder
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
        read: Callable[[Path], Given] = reader.read
        return cls(path.name, *read(path))

    @classmethod
    def of_node_link(cls, name: str, graph: object) -> Self:
        """Graph in node-link form, as a JSON file of that name would hold it.

        Raises
        ------
        ConfigurationError
            What such a file may not say.
        """
        from .node_link import given

        return cls(name, *given(name, graph))

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
        given, counts = [(*link, 1)[:3] for link in links], None if nodes is None else list(nodes)
        builder = GraphBuilder(name or "graph")
        builder.add_routers(len(counts or ()))
        for first, second, _ in given:
            builder.numbered(first)
            builder.numbered(second)
        builder.add_routers(1)
        for router, count in enumerate(counts or ()):
            builder.set_nodes(router, count, f"router {router}:")
        for place, (first, second, latency) in enumerate(given):
            builder.add_link(
                first, second, f"links[{place}]:", two_way=not directed, latency=latency
            )
        return cls(name, *builder.built())

    def told(self) -> dict[str, Any]:
        """All that it says, as JSON can say it."""
        return {name: getattr(self, name) for name in ("name", "routers", "nodes", "links")}

    @classmethod
    def from_told(cls, told: dict[str, Any]) -> Self:
        """Graph of what `told` said."""
        nodes = tuple((label, router) for label, router in told["nodes"])
        links = tuple(Link(*link) for link in told["links"])
        return cls(told["name"], tuple(told["routers"]), nodes, links)

    def __str__(self) -> str:
        return f"{self.name or f'{len(self.routers)} routers'} (sha256 {self.digest[:12]})"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the graph; the file's name does not matter."""
        links = [tuple(link if link.latency > 1 else link[:3]) for link in self.links]
        said = repr((self.routers, self.nodes, links))
        return hashlib.sha256(said.encode()).hexdigest()
