"""Network files of BookSim 2's ``anynet``."""

from pathlib import Path

from .builder import Given, GraphBuilder
from .edges import router_number
from .text import lines_of

FORM = (
    "router NUMBER and then node NUMBER or router NUMBER, or node NUMBER router NUMBER, each with a "
    "latency or none"
)


def read(path: Path) -> Given:
    """Graph of an ``anynet`` file: a line per router, with its nodes and its links.

    A latency is that of the channel from the router that begins the line. The channel back takes one
    cycle, unless a line of the other router says more. A line may also begin with a node. A node's
    latency must be 1.

    Raises
    ------
    ConfigurationError
        A line of another form, a node on no router, two latencies of one channel.

    References
    ----------
    N. Jiang et al., BookSim 2, README of ``anynet``; src/networks/anynet.cpp, `AnyNet::readFile`.
    """
    builder = GraphBuilder(path.name)
    nodes: dict[int, tuple[int, str]] = {}
    channels: dict[tuple[int, int], tuple[str, str]] = {}
    last = -1
    for where, line in lines_of(path):
        (kind, head, of_head), *beside = _entries(line, where, builder)
        if kind == "node":
            if of_head or len(beside) != 1 or beside[0][0] != "router":
                raise builder.refuse(where, f"must be {FORM}, not {line!r}")
            _place_node(nodes, head, beside[0][1], beside[0][2], where, builder)
            last = max(last, beside[0][1])
            continue
        last = max(last, head)
        for kind, number, latency in beside:
            if kind == "router":
                _set_latency(channels, (head, number), latency, where, builder)
                channels.setdefault((number, head), (where, ""))
                last = max(last, number)
            else:
                _place_node(nodes, number, head, latency, where, builder)
    builder.add_routers(last + 1)
    for router in range(last + 1):
        builder.set_nodes(router, 0, "")  # but those that are named
    for (first, second), (where, latency) in channels.items():
        builder.add_link(first, second, where, two_way=False, latency=latency or 1)
    for number in range(len(nodes)):
        if number not in nodes:
            raise builder.refuse("", f"node {number} must be on a router, not on none")
        builder.add_node(str(number), *nodes[number])
    return builder.built()


def _place_node(
    nodes: dict[int, tuple[int, str]],
    node: int,
    router: int,
    latency: str,
    where: str,
    builder: GraphBuilder,
) -> None:
    """Put a node on its only router."""
    if latency not in ("", "1"):
        raise builder.refuse(where, f"latency of a node must be 1 cycle, not {latency!r}")
    before = nodes.setdefault(node, (router, where))[0]
    if before != router:
        raise builder.refuse(
            where, f"node {node} must be on one router, not on {before} and on {router}"
        )


def _set_latency(
    channels: dict[tuple[int, int], tuple[str, str]],
    ends: tuple[int, int],
    latency: str,
    where: str,
    builder: GraphBuilder,
) -> None:
    """Take what a line says of the channel that leaves its router."""
    place, before = channels.get(ends, (where, ""))
    if before and latency and int(latency) != int(before):
        raise builder.refuse(
            where, f"latency must be {before}, as in {place.rstrip(':')}, not {latency!r}"
        )
    channels[ends] = (place if before else where), before or latency


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
        if place < len(words) and words[place].isdigit():
            latency = words[place]
            place += 1
        found.append((kind, router_number(number, where, builder), latency))
    return found
