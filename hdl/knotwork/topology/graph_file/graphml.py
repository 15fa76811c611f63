"""GraphML documents, as graph editors and libraries write them.

Expat reads them, because rustworkx tells no lines, leaves out edges without a vertex in silence,
and refuses the keys that editors add for their pictures.
"""

from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import ConfigurationError
from ...files import read_bytes
from .builder import MOST_LINKS, MOST_NODES, MOST_ROUTERS, GraphBuilder, GraphData
from .text import GRAPH_FILE
from .vertices import Edge, Vertex, build

_DEFAULTS = {"undirected": False, "directed": True}
_BOOLEANS = {"false": False, "true": True, "0": False, "1": True}
"""Words of attributes of GraphML, and whether links lead one way."""

MOST_VERTICES = MOST_ROUTERS * (1 + MOST_NODES)
"""Most vertices of a document: routers, and nodes of their own."""
MOST_EDGES = MOST_LINKS + MOST_ROUTERS * MOST_NODES
"""Most edges of a document: links, and nodes'."""


def read(path: Path) -> GraphData:
    """Graph of a GraphML document; its first one, if there are several.

    Raises
    ------
    ConfigurationError
        A file that is no GraphML; names the line.
    """
    builder = GraphBuilder(path.name)
    document = _Document(builder)
    try:
        document.parser.Parse(read_bytes(path, GRAPH_FILE), True)
    except ConfigurationError:
        raise
    except expat.ExpatError as error:
        fault = expat.errors.messages[error.code]
        raise builder.refuse(
            f"line {error.lineno}:", f"must be GraphML, not what has this error: {fault}"
        ) from None
    except (LookupError, ValueError):  # Python does not know the encoding, or not for expat
        raise builder.refuse(
            "line 1:", "must be GraphML in UTF-8, not in another encoding"
        ) from None
    if not document.graphs:
        raise builder.refuse("line 1:", "must be GraphML with a graph, not without")
    return build(builder, document.vertices, document.edges)


class _Document:
    """Document that is being read."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self.vertices: list[Vertex] = []
        self.edges: list[Edge] = []
        self.graphs = 0
        self._open: list[str] = []
        self._keys: dict[str, tuple[str, str]] = {}
        self._defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._directed = False
        self._facts: dict[str, str] = {}
        self._key = ""
        self._texts: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._texts.append
        self.parser.buffer_text = True

    @property
    def _where(self) -> str:
        return f"line {self.parser.CurrentLineNumber}:"

    def _refuse_entity(self, name: str, *_: object) -> None:
        """Refuse abbreviations: a kilobyte of them can stand for gigabytes of text."""
        raise self._builder.refuse(self._where, f"must declare no entity, not {name!r}")

    def _require_at_most(self, what: str, found: list[Any], most: int) -> None:
        if len(found) == most:
            raise self._builder.refuse("", f"{what} must be at most {most}, not more")

    def _attribute(self, attributes: dict[str, str], element: str, name: str) -> str:
        if name not in attributes:
            raise self._builder.refuse(self._where, f"{element} must have its {name}, not none")
        return attributes[name]

    def _choice(self, key: str, word: str, meanings: dict[str, bool]) -> bool:
        """What the word of an attribute means; another than these is refused."""
        if word not in meanings:
            rule = " or ".join(list(meanings)[:2])
            raise self._builder.refuse(self._where, f"{key} must be {rule}, not {word!r}")
        return meanings[word]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(" ")[2]
        self._open.append(element)
        if len(self._open) == 1 and element != "graphml":
            raise self._builder.refuse(self._where, f"must be GraphML, not an element {element!r}")
        if element == "graph":
            if self._open != ["graphml", "graph"]:
                raise self._builder.refuse(self._where, "a graph must stand alone, not in another")
            self.graphs += 1
            self._directed = self._choice(
                "edgedefault", attributes.get("edgedefault", "undirected"), _DEFAULTS
            )
        elif element == "key" and "id" in attributes:
            declared = attributes.get("attr.name", ""), attributes.get("for", "all")
            self._keys[attributes["id"]] = declared
            self._key = attributes["id"]
        elif element == "data":
            self._key = self._attribute(attributes, "data", "key")
        elif self.graphs == 1 and element == "node":
            vertex = self._attribute(attributes, "node", "id")
            self._facts = dict(self._defaults["node"])
            self._require_at_most("vertices", self.vertices, MOST_VERTICES)
            self.vertices.append(Vertex(vertex, self._facts, self._where))
        elif self.graphs == 1 and element == "edge":
            source, target = (
                self._attribute(attributes, "edge", end) for end in ("source", "target")
            )
            one_way = self._directed
            if "directed" in attributes:
                one_way = self._choice("directed", attributes["directed"], _BOOLEANS)
            self._facts = dict(self._defaults["edge"])
            self._require_at_most("edges", self.edges, MOST_EDGES)
            self.edges.append(Edge((source, target), self._facts, one_way, self._where))
        elif element == "hyperedge":
            raise self._builder.refuse(self._where, "an edge must join two, not be a hyperedge")
        self._texts.clear()

    def _end(self, name: str) -> None:
        element = name.rpartition(" ")[2]
        self._open.pop()
        text = "".join(self._texts).strip()
        self._texts.clear()
        known, owner = self._keys.get(self._key, ("", ""))
        if element == "data" and known and self._open[-1] in ("node", "edge"):
            self._facts[known] = text
        if element == "default" and known:
            for kind in ("node", "edge") if owner == "all" else (owner,):
                self._defaults.setdefault(kind, {})[known] = text
