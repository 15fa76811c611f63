"""Lists of links, a line each: two numbers of routers, and a latency if that is not 1."""

from pathlib import Path

from ...wording import parse_index
from .builder import MOST_ROUTERS, GraphBuilder, GraphData
from .text import read_graph_lines

FORM = "two routers and no more than a latency, as in 0 1"


def read(path: Path) -> GraphData:
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
            raise builder.refuse(where, f"must be {FORM} or 0 -> 1, not {line!r}")
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
