"""Graph files of lines: lists of links, BookSim 2's anynet, and adjacency matrices."""

from collections.abc import Iterator
from pathlib import Path

from ...files import read_lines, read_rows
from ...wording import parse_index, parse_real
from .builder import MOST_LINKS, MOST_NODES, MOST_ROUTERS, GraphBuilder, GraphData

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
