"""Network files of BookSim 2's ``anynet``."""

from pathlib import Path

from .builder import Given, GraphBuilder
from .edges import router_number
from .text import lines_of

FORM = "router NUMBER and then node NUMBER or router NUMBER, each with a latency or none"


def read(path: Path) -> Given:
    """Graph of an ``anynet`` file: a line per router, with its nodes and its links.

    All links lead both ways; one that both of its routers name is one link, of the latency that
    either tells. A node's latency must be 1.

    Raises
    ------
    ConfigurationError
        A line of another form, a node on no router, two latencies of one link.

    References
    ----------
    N. Jiang et al., BookSim 2, src/networks/anynet.cpp, head and `AnyNet::readFile`.
    """
    builder = GraphBuilder(path.name)
    nodes: dict[int, tuple[int, str]] = {}
    links: dict[tuple[int, int], tuple[str, str]] = {}
    last = -1
    for where, line in lines_of(path):
        (kind, router, _), *beside = _entries(line, where, builder)
        if kind != "router":
            raise builder.refuse(where, f"must be {FORM}, not {line!r}")
        last = max(last, router)
        for kind, number, latency in beside:
            if kind == "router":
                ends = min(router, number), max(router, number)
                links[ends] = _told(links.get(ends, (where, "")), where, latency, builder)
                last = max(last, number)
            elif latency not in ("", "1"):
                raise builder.refuse(where, f"latency of a node must be 1 cycle, not {latency!r}")
            elif nodes.setdefault(number, (router, where))[0] != router:
                raise builder.refuse(
                    where,
                    f"node {number} must be on one router, not on {nodes[number][0]} and on "
                    f"{router}",
                )
    builder.add_routers(last + 1)
    for router in range(last + 1):
        builder.set_nodes(router, 0, "")  # but those that are named
    for (first, second), (where, latency) in links.items():
        builder.add_link(first, second, where, latency=latency or 1)
    for number in range(len(nodes)):
        if number not in nodes:
            raise builder.refuse("", f"node {number} must be on a router, not on none")
        builder.add_node(str(number), *nodes[number])
    return builder.built()


def _told(
    before: tuple[str, str], where: str, latency: str, builder: GraphBuilder
) -> tuple[str, str]:
    """Place of a link and its latency, empty if nobody told it, after another entry of it."""
    if before[1] and latency and int(latency) != int(before[1]):
        raise builder.refuse(
            where, f"latency must be {before[1]}, as in {before[0].rstrip(':')}, not {latency!r}"
        )
    return before[0], before[1] or latency


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
