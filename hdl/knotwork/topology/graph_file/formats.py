"""Graph files: lists of links, BookSim 2's anynet, adjacency matrices, node-link JSON and GraphML.

A vertex is a router or a node, and an edge a link, or what attaches a node to its router. Node-link
JSON is what NetworkX and d3 write. Expat reads GraphML, because rustworkx reports no lines, leaves
out edges without a vertex in silence, and refuses the keys that editors add for their pictures.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from reprlib import repr as brief
from typing import Any, NamedTuple
from xml.parsers import expat

from ...errors import ConfigurationError
from ...files import read_bytes, read_json, read_lines, read_rows
from ...wording import parse_index, parse_real
from .builder import MOST_LINKS, MOST_NODES, MOST_ROUTERS, GraphBuilder, GraphData, identifier

GRAPH_FILE = "graph file"
"""What a graph's file is called in errors."""


def read_graph_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Place and text of each line that says something; comments begin with ``#``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read.
    """
    for number, line in enumerate(read_lines(path, GRAPH_FILE), start=1):
        content = line.partition("#")[0].strip()
        if content:
            yield f"line {number}:", content


_EDGES_FORM = "two routers and no more than a latency, as in 0 1"


def read_edges(path: Path) -> GraphData:
    """Graph of a list of links: ``0 1`` both ways, ``0 -> 1`` one way.

    Raises
    ------
    ConfigurationError
        A line of another form, a router out of range.
    """
    builder = GraphBuilder(path.name)
    for where, line in read_graph_lines(path):
        words = line.split()
        one_way = len(words) > 1 and words[1] == "->"
        words = [*words[:1], *words[2:]] if one_way else words
        if len(words) not in (2, 3):
            raise builder.refuse(where, f"must be {_EDGES_FORM} or 0 -> 1, not {line!r}")
        first, second = (
            builder.add_numbered_router(router_number(w, where, builder)) for w in words[:2]
        )
        latency = (words[2:] or ["1"])[0]
        builder.add_link(first, second, where, two_way=not one_way, latency=latency)
    return builder.build()


def router_number(word: str, where: str, builder: GraphBuilder) -> int:
    """Router that a word names by its number."""
    number = parse_index(word, MOST_ROUTERS)
    if number is None:
        raise builder.refuse(
            where, f"a router must be a number in 0..{MOST_ROUTERS - 1}, not {word!r}"
        )
    return number


_ANYNET_FORM = (
    "router NUMBER and then node NUMBER or router NUMBER, or node NUMBER router NUMBER, each with "
    "a latency or none"
)


def read_anynet(path: Path) -> GraphData:
    """Graph of an ``anynet`` file: a line per router, with its nodes and its links.

    A latency is that of the channel from the router that begins the line. The channel back takes
    one cycle, unless a line of the other router says more. A line may also begin with a node. A
    node's latency must be 1.

    Raises
    ------
    ConfigurationError
        A line of another form, a node on no router, two latencies of one channel.

    References
    ----------
    N. Jiang et al., BookSim 2, README of ``anynet``; src/networks/anynet.cpp, `AnyNet::readFile`.
    """
    network = _AnynetReader(GraphBuilder(path.name))
    for where, line in read_graph_lines(path):
        network.add(line, where)
    return network.build()


class _AnynetReader:
    """Routers, nodes and channels of the lines read so far."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self._nodes: dict[int, tuple[int, str]] = {}
        self._channels: dict[tuple[int, int], tuple[str, str]] = {}

    def add(self, line: str, where: str) -> None:
        """Take what a line says."""
        (kind, head, latency), *beside = _entries(line, where, self._builder)
        kinds = [kind for kind, *_ in beside]
        if latency or (kind == "node" and kinds != ["router"]):
            raise self._builder.refuse(where, f"must be {_ANYNET_FORM}, not {line!r}")
        if kind == "router":
            self._builder.add_numbered_router(head)
        for other, number, latency in beside:
            if kind == "node":
                self._add_node(head, number, latency, where)
            elif other == "node":
                self._add_node(number, head, latency, where)
            else:
                self._add_channel(head, number, latency, where)

    def _add_node(self, node: int, router: int, latency: str, where: str) -> None:
        if latency not in ("", "1"):
            raise self._builder.refuse(where, f"latency of a node must be 1 cycle, not {latency!r}")
        self._builder.add_numbered_router(router)
        before = self._nodes.setdefault(node, (router, where))[0]
        if before != router:
            raise self._builder.refuse(
                where, f"node {node} must be on one router, not on {before} and on {router}"
            )

    def _add_channel(self, router: int, other: int, latency: str, where: str) -> None:
        self._builder.add_numbered_router(other)
        place, before = self._channels.get((router, other), (where, ""))
        if before and latency and int(latency) != int(before):
            raise self._builder.refuse(
                where, f"latency must be {before}, as in {place.rstrip(':')}, not {latency!r}"
            )
        self._channels[router, other] = (place if before else where), before or latency
        self._channels.setdefault((other, router), (where, ""))
        if len(self._channels) > 2 * MOST_LINKS:
            raise self._builder.refuse("", f"links must be at most {MOST_LINKS}, not more")

    def build(self) -> GraphData:
        """Graph of all lines."""
        builder = self._builder
        for router in range(builder.routers):
            builder.set_nodes(router, 0, "")  # but those that are named
        for (first, second), (where, latency) in self._channels.items():
            builder.add_link(first, second, where, two_way=False, latency=latency or 1)
        if least := min(self._nodes, default=0):
            raise builder.refuse("", f"numbers of nodes must start at 0, not at {least}")
        for number in range(len(self._nodes)):
            if number not in self._nodes:
                raise builder.refuse("", f"node {number} must be on a router, not on none")
            builder.add_node(str(number), *self._nodes[number])
        return builder.build()


def _entries(line: str, where: str, builder: GraphBuilder) -> list[tuple[str, int, str]]:
    """Kind, number and latency, empty for none, of each thing that a line names."""
    words, found = line.split(), []
    place = 0
    while place < len(words):
        kind, number, *_ = [*words[place : place + 2], ""]
        if kind not in ("router", "node") or not number:
            raise builder.refuse(where, f"must be {_ANYNET_FORM}, not {line!r}")
        place += 2
        latency = ""
        if place < len(words) and parse_index(words[place], 1 << 63) is not None:
            latency = words[place]
            place += 1
        found.append((kind, router_number(number, where, builder), latency))
    return found


def read_matrix(path: Path) -> GraphData:
    """Graph of an adjacency matrix: how many links lead from the row's router to the column's.

    Links there and back are one that leads both ways. A first line of names, and then a first
    column of the same, name the routers.

    Raises
    ------
    ConfigurationError
        A matrix that is not square, an entry that is no number.
    """
    builder = GraphBuilder(path.name)
    rows = [(number, [field.strip() for field in row]) for number, row in read_rows(path)]
    if not rows:
        raise builder.refuse("", "the graph must have a router, not none")
    names = None
    is_named = not rows[0][1][0] and len(rows) == len(rows[0][1])
    if is_named or any(field and not _is_number(field) for field in rows[0][1]):
        (first, names), *rows = rows
        has_names = (
            bool(rows)
            and len(rows[0][1]) == len(names)
            and (is_named or not _is_number(rows[0][1][0]))
        )
        if has_names:
            names = names[1:]
            _require_names(builder, rows, names)
            rows = [(number, row[1:]) for number, row in rows]
        for name in names:
            builder.add_router(name, f"line {first}:")
    size = len(names or rows[0][1]) if rows else 0
    if len(rows) != size:
        raise builder.refuse("", f"there must be {size} lines, one per router, not {len(rows)}")
    if names is None:
        builder.add_routers(size)
    for router, (number, row) in enumerate(rows):
        if len(row) != size:
            raise builder.refuse(f"line {number}:", f"must have {size} fields, not {len(row)}")
        _add_links(builder, router, row, f"line {number}:")
    return builder.build()


def _require_names(
    builder: GraphBuilder, rows: list[tuple[int, list[str]]], names: list[str]
) -> None:
    for (number, row), name in zip(rows, names, strict=False):
        if row[0] != name:
            raise builder.refuse(
                f"line {number}:", f"must be router {name}, as in the first line, not {row[0]!r}"
            )


def _add_links(builder: GraphBuilder, router: int, row: list[str], where: str) -> None:
    for far, field in enumerate(row):
        count = _COUNTS.get(_number(field))
        if count is None:
            raise builder.refuse(
                where, f"an entry must be a number of links in 0..{MOST_NODES}, not {field!r}"
            )
        for _ in range(count):
            builder.add_link(router, far, where, two_way=False)


def _is_number(field: str) -> bool:
    """Whether a field is a number of any kind, also one that is refused, and so no name."""
    unsigned = field.lower().lstrip("+-")
    return _number(unsigned) is not None or unsigned in ("inf", "nan")


def _number(field: str) -> float | None:
    try:
        return parse_real(field)
    except ValueError:
        return None


_COUNTS: dict[float | None, int] = {float(count): count for count in range(MOST_NODES + 1)}


class Vertex(NamedTuple):
    """Vertex of a file: its name, attributes and place."""

    name: str
    facts: Mapping[str, Any]
    where: str


class Edge(NamedTuple):
    """Edge of a file: the names of its ends, its attributes, whether one way, and its place."""

    ends: tuple[str, str]
    facts: Mapping[str, Any]
    one_way: bool
    where: str


def build(builder: GraphBuilder, vertices: Iterable[Vertex], edges: Iterable[Edge]) -> GraphData:
    """Graph of vertices and edges.

    A vertex whose ``kind`` is ``node`` is a node, on the router that its edge leads to; all others
    are routers. A router's ``nodes`` says how many nodes it has: one where it says nothing, but
    none where there are vertices for nodes. ``label`` is the printable name, where no other vertex
    has the same, and else the vertex's own name is; ``latency`` is a link's.

    Raises
    ------
    ConfigurationError
        A name twice, an edge without its vertex, a node on no router or on two.
    """
    routers: dict[str, int] = {}
    nodes: dict[str, Vertex] = {}
    labels: dict[str, str] = {}
    for vertex, label in _labelled(list(vertices)):
        if vertex.name in routers or vertex.name in nodes:
            what = "node" if vertex.name in nodes else "router"
            raise builder.refuse(
                vertex.where, f"a {what}'s name must be unique, not {vertex.name!r} twice"
            )
        if vertex.facts.get("kind") == "node":
            nodes[vertex.name], labels[vertex.name] = vertex, label
            continue
        number = builder.add_router(label, vertex.where)
        routers[vertex.name] = number
        if vertex.facts.get("nodes") is not None:
            builder.set_nodes(number, vertex.facts["nodes"], vertex.where)
    on: dict[str, int] = {}
    for edge in edges:
        for end in edge.ends:
            if end not in routers and end not in nodes:
                raise builder.refuse(
                    edge.where, f"an end must be a vertex of the file, not {end!r}"
                )
        of_nodes = [end for end in edge.ends if end in nodes]
        if of_nodes:
            _attach(builder, edge, of_nodes[0], routers, on)
            continue
        first, second = (routers[end] for end in edge.ends)
        latency = edge.facts.get("latency", 1)
        builder.add_link(first, second, edge.where, two_way=not edge.one_way, latency=latency)
    for name, vertex in nodes.items():
        if name not in on:
            raise builder.refuse(vertex.where, f"node {name} must be on a router, not on none")
        builder.add_node(labels[name], on[name], vertex.where)
    return builder.build()


def _labelled(vertices: Sequence[Vertex]) -> Iterator[tuple[Vertex, str]]:
    """Vertices, and what each is called: by its label, or by its name where that is not unique."""
    called = []
    for vertex in vertices:
        label = vertex.facts.get("label")
        called.append(vertex.name if label in (None, "") else str(label))
    several = True
    while several:  # a name may be what another is called
        keys = [
            (vertex.facts.get("kind") == "node", identifier(label))
            for vertex, label in zip(vertices, called, strict=True)
        ]
        counts, several = Counter(keys), False
        for place, vertex in enumerate(vertices):
            if counts[keys[place]] > 1 and called[place] != vertex.name:
                called[place], several = vertex.name, True
    return zip(vertices, called, strict=True)


def _attach(
    builder: GraphBuilder, edge: Edge, node: str, routers: Mapping[str, int], on: dict[str, int]
) -> None:
    """Put a node on the router of its edge."""
    other = edge.ends[edge.ends[0] == node]
    if other not in routers:
        raise builder.refuse(edge.where, f"node {node} must be on a router, not on node {other}")
    if on.setdefault(node, routers[other]) != routers[other]:
        before = next(name for name, number in routers.items() if number == on[node])
        raise builder.refuse(
            edge.where, f"node {node} must be on one router, not on {before} and on {other}"
        )


def read_node_link(path: Path) -> GraphData:
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
    return build(
        builder,
        _node_link_vertices(builder, nodes),
        _node_link_edges(builder, edges, key, one_way=directed),
    )


def _node_link_vertices(builder: GraphBuilder, nodes: list[Any]) -> Iterator[Vertex]:
    for place, node in enumerate(nodes):
        where = f"nodes[{place}]:"
        yield Vertex(_vertex_name(builder, node, "id", where), _facts(node), where)


def _node_link_edges(
    builder: GraphBuilder, links: list[Any], key: str, *, one_way: bool
) -> Iterator[Edge]:
    for place, link in enumerate(links):
        where = f"{key}[{place}]:"
        source, target = (_vertex_name(builder, link, end, where) for end in ("source", "target"))
        yield Edge((source, target), _facts(link), one_way, where)


def _vertex_name(builder: GraphBuilder, entry: Any, key: str, where: str) -> str:
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


_DEFAULTS = {"undirected": False, "directed": True}
_BOOLEANS = {"false": False, "true": True, "0": False, "1": True}
"""Words of attributes of GraphML, and whether links lead one way."""

MOST_VERTICES = MOST_ROUTERS * (1 + MOST_NODES)
"""Most vertices of a document: routers, and nodes of their own."""
MOST_EDGES = MOST_LINKS + MOST_ROUTERS * MOST_NODES
"""Most edges of a document: links, and nodes'."""


def read_graphml(path: Path) -> GraphData:
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
                raise self._builder.refuse(
                    self._where, "a graph must not be nested in another graph"
                )
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
            raise self._builder.refuse(
                self._where, "an edge must join two vertices, not be a hyperedge"
            )
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
