"""Graphs in node-link form: JSON as NetworkX and d3 write it."""

from collections.abc import Iterator
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from ...files import read_json
from .builder import GraphBuilder, GraphData
from .vertices import Edge, Vertex, build


def read(path: Path) -> GraphData:
    """Graph of a file, as `parse_node_link` reads it.

    Raises
    ------
    ConfigurationError
        A file that is not JSON, or of another form.
    """
    return parse_node_link(path.name, read_json(path))


def parse_node_link(name: str, graph: Any) -> GraphData:
    """Graph of ``nodes``, ``links`` (or ``edges``) and ``directed``.

    Attributes of a vertex or an edge stand beside ``id``, ``source`` and ``target``, or in
    ``data``, as rustworkx puts them.

    Parameters
    ----------
    name : str
        Name of the file, which begins errors.
    graph : any
        What it holds.

    Raises
    ------
    ConfigurationError
        What is of another form.
    """
    builder = GraphBuilder(name)
    key = "links" if isinstance(graph, dict) and "links" in graph else "edges"
    edges = graph.get(key) if isinstance(graph, dict) else None
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise builder.refuse("", "must be an object with the lists nodes and links, not another")
    directed = graph.get("directed", False)
    if not isinstance(directed, bool):
        raise builder.refuse("", f"directed must be true or false, not {brief(directed)}")
    return build(builder, _vertices(builder, nodes), _edges(builder, edges, key, one_way=directed))


def _vertices(builder: GraphBuilder, nodes: list[Any]) -> Iterator[Vertex]:
    for place, node in enumerate(nodes):
        where = f"nodes[{place}]:"
        yield Vertex(_name(builder, node, "id", where), _facts(node), where)


def _edges(builder: GraphBuilder, links: list[Any], key: str, *, one_way: bool) -> Iterator[Edge]:
    for place, link in enumerate(links):
        where = f"{key}[{place}]:"
        source, target = (_name(builder, link, end, where) for end in ("source", "target"))
        yield Edge((source, target), _facts(link), one_way, where)


def _name(builder: GraphBuilder, entry: Any, key: str, where: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    name = _format_name(value)
    if name is None:
        raise builder.refuse(
            where, f"{key} must be a name, a number or a list of them, not {brief(value)}"
        )
    return name


def _format_name(value: Any, deepest: int = 8) -> str | None:
    """Name in JSON, ``1_0`` for ``[1, 0]`` as in grids of NetworkX; None where it is none."""
    if isinstance(value, list) and value and deepest:
        parts = [_format_name(part, deepest - 1) for part in value]
        return None if None in parts else "_".join(filter(None, parts))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    data = entry.get("data")
    return entry | data if isinstance(data, dict) else entry
