"""GraphML documents, written as text: a graph may have more edges than a tree of elements holds."""

from collections.abc import Mapping
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"


class Keys(NamedTuple):
    """Attributes that a document declares: GraphML's type of each, by name.

    Members
    -------
    of_graph, of_vertex, of_edge : mapping of str to str
        Attributes of the graph, of its vertices and of its edges.
    """

    of_vertex: Mapping[str, str]
    of_edge: Mapping[str, str]
    of_graph: Mapping[str, str] = {}


class Document:
    """GraphML document in the making.

    Parameters
    ----------
    name : str
        Name of the graph.
    keys : Keys
        Attributes that it may have. One name in two groups has two keys.
    directed : bool
        Whether edges lead one way.
    facts : mapping of str to object
        Attributes of the graph itself.
    """

    def __init__(
        self, name: str, keys: Keys, *, directed: bool, facts: Mapping[str, object] | None = None
    ) -> None:
        self._lines = [
            "<?xml version='1.0' encoding='utf-8'?>",
            f"<graphml xmlns={quoteattr(NAMESPACE)}>",
        ]
        groups = {"node": keys.of_vertex, "edge": keys.of_edge, "graph": keys.of_graph}
        taken: set[str] = set()
        self._ids: dict[str, dict[str, str]] = {}
        for owner, known in groups.items():
            self._ids[owner] = {
                name: f"{owner}_{name}" if name in taken else name for name in known
            }
            taken |= set(known)
            for own, kind in known.items():
                self._lines.append(
                    f"  <key id={quoteattr(self._ids[owner][own])} for={quoteattr(owner)} "
                    f"attr.name={quoteattr(own)} attr.type={quoteattr(kind)} />"
                )
        direction = "directed" if directed else "undirected"
        self._lines.append(f'  <graph id={quoteattr(name)} edgedefault="{direction}">')
        self._lines += self._data("graph", facts or {}, "    ")

    def add_vertex(self, name: str, facts: Mapping[str, object]) -> None:
        """Add a vertex; a fact that is None is left out."""
        self._add("node", f"id={quoteattr(name)}", facts)

    def add_edge(self, source: str, target: str, facts: Mapping[str, object]) -> None:
        """Add an edge; a fact that is None is left out."""
        self._add("edge", f"source={quoteattr(source)} target={quoteattr(target)}", facts)

    def text(self) -> str:
        """Whole document."""
        return "\n".join([*self._lines, "  </graph>", "</graphml>", ""])

    def _add(self, owner: str, attributes: str, facts: Mapping[str, object]) -> None:
        data = self._data(owner, facts, "      ")
        self._lines.append(f"    <{owner} {attributes}{'' if data else ' /'}>")
        if data:
            self._lines += [*data, f"    </{owner}>"]

    def _data(self, owner: str, facts: Mapping[str, object], indent: str) -> list[str]:
        ids = self._ids[owner]
        return [
            f"{indent}<data key={quoteattr(ids[name])}>{escape(_word(value))}</data>"
            for name, value in facts.items()
            if value is not None
        ]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
