"""Files of a graph, for `graph file=` and for other programs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import rustworkx
from knotwork.drawing.graph_files.graphml import Document, Keys

from ..columns import require_suffix
from .graphs import links_of


def _edges(neighbours: np.ndarray, name: str) -> str:
    del name
    return "".join(f"{first} {second}\n" for first, second in links_of(neighbours).tolist())


def _node_link(neighbours: np.ndarray, name: str) -> str:
    graph = rustworkx.PyGraph(attrs={"name": name})
    graph.add_nodes_from(range(len(neighbours)))
    graph.add_edges_from_no_data(
        [(first, second) for first, second in links_of(neighbours).tolist()]
    )
    text = rustworkx.node_link_json(graph, graph_attrs=dict)
    return f"{text}\n"


def _graphml(neighbours: np.ndarray, name: str) -> str:
    document = Document(name, Keys({}, {}), directed=False, facts={})
    for router in range(len(neighbours)):
        document.add_vertex(f"router_{router}", {})
    for first, second in links_of(neighbours).tolist():
        document.add_edge(f"router_{first}", f"router_{second}", {})
    return document.text()


WRITERS: dict[str, Callable[[np.ndarray, str], str]] = {
    ".edges": _edges,
    ".graphml": _graphml,
    ".json": _node_link,
}
"""Texts of a graph's file, by its ending: of its neighbours and its name."""


def graph_kind(path: Path) -> str:
    """Ending of a graph's file, one of those of `WRITERS`.

    Raises
    ------
    ConfigurationError
        Another ending.
    """
    return require_suffix(path, "a graph", list(WRITERS))
