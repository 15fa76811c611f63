"""Network files of BookSim 2's ``anynet``."""

from pathlib import Path

from ...wording import parse_index
from .builder import MOST_LINKS, GraphBuilder, GraphData
from .edges import router_number
from .text import read_graph_lines

FORM = (
    "router NUMBER and then node NUMBER or router NUMBER, or node NUMBER router NUMBER, each with "
    "a latency or none"
)


def read(path: Path) -> GraphData:
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
    network = _Network(GraphBuilder(path.name))
    for where, line in read_graph_lines(path):
        network.add(line, where)
    return network.build()


class _Network:
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
            raise self._builder.refuse(where, f"must be {FORM}, not {line!r}")
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
            raise builder.refuse(where, f"must be {FORM}, not {line!r}")
        place += 2
        latency = ""
        if place < len(words) and parse_index(words[place], 1 << 63) is not None:
            latency = words[place]
            place += 1
        found.append((kind, router_number(number, where, builder), latency))
    return found
