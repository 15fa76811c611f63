"""Lists of links, a line each: two numbers of routers, and a latency if that is not 1."""

from pathlib import Path

from .builder import MOST_ROUTERS, Given, GraphBuilder
from .text import lines_of

FORM = "two routers and no more than a latency, as in 0 1"


def read(path: Path) -> Given:
    """Graph of a list of links: ``0 1`` both ways, ``0 -> 1`` one way.

    Raises
    ------
    ConfigurationError
        A line of another form, a router out of range.
    """
    builder, found, last = GraphBuilder(path.name), [], -1
    for where, line in lines_of(path):
        words = line.split()
        one_way = len(words) > 1 and words[1] == "->"
        words = [*words[:1], *words[2:]] if one_way else words
        if len(words) not in (2, 3):
            raise builder.refuse(where, f"must be {FORM} or 0 -> 1, not {line!r}")
        ends = [router_number(word, where, builder) for word in words[:2]]
        last = max(last, *ends)
        found.append((*ends, where, not one_way, (words[2:] or ["1"])[0]))
    builder.add_routers(last + 1)
    for first, second, where, two_way, latency in found:
        builder.add_link(first, second, where, two_way=two_way, latency=latency)
    return builder.built()


def router_number(word: str, where: str, builder: GraphBuilder) -> int:
    """Router that a word names by its number."""
    if not (word.isascii() and word.isdigit() and len(word) < 9 and int(word) < MOST_ROUTERS):
        raise builder.refuse(
            where, f"a router must be a number in 0..{MOST_ROUTERS - 1}, not {word!r}"
        )
    return int(word)
