"""Graph under construction: the declarations of a file, checked one by one, and links at ports."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from reprlib import repr as brief
from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...wording import parse_index
from ..base import MOST_LATENCY


class Link(NamedTuple):
    """Link of two routers.

    Members
    -------
    first, second : int
        Routers; the first sends, if the link leads one way.
    two_way : bool
        Whether it leads both ways.
    latency : int
        Cycles that a flit is on it.
    """

    first: int
    second: int
    two_way: bool
    latency: int = 1


class Wiring(NamedTuple):
    """Links at the routers' ports.

    Members
    -------
    neighbours, peer_ports : ndarray
        As `Topology` has them, int32 of shape (routers, ports).
    latency : ndarray
        Cycles that a flit is on the link that each port sends to, alike; 1 without a link.
    """

    neighbours: np.ndarray
    peer_ports: np.ndarray
    latency: np.ndarray


def join_links(links: Iterable[Link]) -> list[Link]:
    """Links of which two that lead one way and back are one, in the order of the first of them.

    They must take as many cycles.
    """
    arcs = list(links)
    back = Counter((link.second, link.first, link.latency) for link in arcs if not link.two_way)
    meets: Counter[tuple[int, int, int]] = Counter()
    found = []
    for link in arcs:
        ends = (link.first, link.second, link.latency)
        turned = (link.second, link.first, link.latency)
        if link.two_way:
            found.append(link)
        elif meets[ends]:
            meets[ends] -= 1  # the way back of an earlier one
        else:
            two_way = back[ends] > 0
            if two_way:
                back[ends] -= 1
                back[turned] -= 1
                meets[turned] += 1
            found.append(link._replace(two_way=two_way))
    return found


def wire_links(routers: int, links: Sequence[Link], *, first: int) -> Wiring:
    """Ports of links, in the order of the links; those that lead both ways come before others.

    Parameters
    ----------
    routers : int
        Routers.
    links : sequence of Link
        Links.
    first : int
        First port for links.
    """
    sends, receives = ([first] * routers for _ in range(2))
    ends: list[tuple[int, int, int, int, int]] = []
    for a, b, two_way, latency in sorted(links, key=lambda link: not link.two_way):
        ends.append((a, sends[a], b, receives[b], latency))
        sends[a], receives[b] = sends[a] + 1, receives[b] + 1
        if two_way:
            ends.append((b, sends[b], a, receives[a], latency))
            sends[b], receives[a] = sends[b] + 1, receives[a] + 1
    tables = np.full((3, routers, max(*sends, *receives)), -1, np.int32)
    tables[2] = 1
    if ends:
        router, port, *columns = np.array(ends).T
        tables[:, router, port] = columns
    return Wiring(*tables)


def unreached_pair(routers: int, links: Iterable[Link]) -> tuple[int, int] | None:
    """First pair (from, to) of routers without a way, one of them router 0; None for no pair."""
    after: list[list[int]] = [[] for _ in range(routers)]
    before: list[list[int]] = [[] for _ in range(routers)]
    for a, b, two_way, _ in links:
        for start, end in ((a, b), (b, a))[: 1 + two_way]:
            after[start].append(end)
            before[end].append(start)
    for ways, is_forward in ((after, True), (before, False)):
        seen, front = {0}, [0]
        while front:
            front = [*{far for router in front for far in ways[router]} - seen]
            seen.update(front)
        if len(seen) < routers:
            last = next(router for router in range(routers) if router not in seen)
            return (0, last) if is_forward else (last, 0)
    return None


MOST_ROUTERS = 4096
"""Most routers of a graph."""
MOST_NODES = 64
"""Most nodes of a router."""
MOST_LINKS = 1 << 20
"""Most links of a graph."""
LONGEST = 128
"""Characters of a name, at most: names become parts of those of Verilog."""

_UNFIT = re.compile(r"[^A-Za-z0-9_.]+")


class GraphData(NamedTuple):
    """Routers, nodes and links that a file declares.

    Members
    -------
    routers : tuple of str
        Labels of the routers.
    nodes : tuple of (str, int)
        Label and router of each node.
    links : tuple of Link
        Links, those that lead both ways once.
    """

    routers: tuple[str, ...]
    nodes: tuple[tuple[str, int], ...]
    links: tuple[Link, ...]


class GraphBuilder:
    """Graph in the making.

    Routers are added first, then links and nodes. Every `where` is the place in the file, for
    errors: ``line 3``.

    Parameters
    ----------
    owner : str
        Name of the file, which begins errors.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._routers: list[str] = []
        self._identifiers: dict[str, str] = {}
        self._links: list[Link] = []
        self._counts: dict[int, int] = {}
        self._named: dict[str, tuple[int, str]] = {}
        self._least: int | None = None

    @property
    def routers(self) -> int:
        """Routers so far."""
        return len(self._routers)

    def refuse(self, where: str, what: str) -> ConfigurationError:
        """Error's line."""
        return ConfigurationError(f"{self._owner}: {where}{' ' if where else ''}{what}")

    def add_router(self, label: str, where: str) -> int:
        """Add a router; characters that no label has become ``_``.

        Raises
        ------
        ConfigurationError
            Another router has that name, or there are too many.
        """
        if len(self._routers) == MOST_ROUTERS:
            raise self.refuse("", f"routers must be at most {MOST_ROUTERS}, not more")
        plain = self._plain("router", label, where)
        word = identifier(label)
        if not plain or word in self._identifiers:
            value = "an empty name" if not plain else f"{label!r} twice"
            if plain and self._identifiers[word] != label:
                value = f"{label!r} beside {self._identifiers[word]!r}, both {word}"
            raise self.refuse(where, f"a router's name must be unique, not {value}")
        self._identifiers[word] = label
        self._routers.append(plain)
        return len(self._routers) - 1

    def _plain(self, what: str, label: str, where: str) -> str:
        """Label with ``_`` in place of characters that none has."""
        if len(label) > LONGEST:
            raise self.refuse(
                where,
                f"a {what}'s name must have at most {LONGEST} characters, not {len(label)}",
            )
        return plain_name(label)

    def add_routers(self, count: int) -> None:
        """Add routers named by their numbers, until there are so many."""
        for number in range(len(self._routers), count):
            self.add_router(str(number), "")

    def add_numbered_router(self, number: int) -> int:
        """Router of this number, which a link or a node names; those before it are added too."""
        if number < 0:
            raise self.refuse("", f"numbers of routers must start at 0, not at {number}")
        self.add_routers(number + 1)
        self._least = number if self._least is None else min(number, self._least)
        return number

    def set_nodes(self, router: int, count: object, where: str) -> None:
        """Give a router as many nodes.

        Raises
        ------
        ConfigurationError
            The count is no number in range.
        """
        number = _count(count, MOST_NODES)
        if number is None:
            raise self.refuse(
                where, f"nodes must be an integer in 0..{MOST_NODES}, not {brief(count)}"
            )
        self._counts[router] = number

    def add_node(self, label: str, router: int, where: str) -> None:
        """Add a node with a name of its own; routers without one then have none.

        Raises
        ------
        ConfigurationError
            Another node has that name, or the router has too many.
        """
        if label in self._named:
            before = self._named[label]
            raise self.refuse(
                where,
                f"node {label} must be on one router, not on {self._routers[before[0]]} and on "
                f"{self._routers[router]}",
            )
        self._plain("node", label, where)
        self._named[label] = router, where

    def add_link(
        self, first: int, second: int, where: str, *, two_way: bool = True, latency: object = 1
    ) -> None:
        """Add a link.

        Raises
        ------
        ConfigurationError
            It leads to where it comes from, or its latency is no number of cycles in range.
        """
        if first == second:
            name = self._routers[first]
            raise self.refuse(where, f"a link must lead to another router, not from {name} to it")
        cycles = _count(latency, MOST_LATENCY)
        if not cycles:
            raise self.refuse(
                where, f"latency must be 1..{MOST_LATENCY} cycles, not {brief(latency)}"
            )
        if len(self._links) == MOST_LINKS:
            raise self.refuse("", f"links must be at most {MOST_LINKS}, not more")
        self._links.append(Link(first, second, two_way, cycles))

    def build(self) -> GraphData:
        """Complete graph.

        Raises
        ------
        ConfigurationError
            No router or no node, a router that cannot be reached from another, a name twice.
        """
        if not self._routers:
            raise self.refuse("", "the graph must have a router, not none")
        if self._least:
            raise self.refuse("", f"numbers of routers must start at 0, not at {self._least}")
        links = tuple(join_links(self._links))
        if pair := unreached_pair(len(self._routers), links):
            start, end = (f"router {router} (@{self._routers[router]})" for router in pair)
            raise self.refuse("", f"{end} must be reachable from {start}, which has no path to it")
        nodes = tuple(self._nodes())
        if not nodes:
            raise self.refuse("", "the graph must have a node, not none")
        self._require_distinct(label for label, _ in nodes)
        return GraphData(tuple(self._routers), nodes, links)

    def _nodes(self) -> Iterable[tuple[str, int]]:
        """Label and router of each node, in the order of the routers where they have no names.

        A router without a count has one, but none where nodes have names.
        """
        for router, label in enumerate(self._routers):
            count = self._counts.get(router, 0 if self._named else 1)
            for place in range(count):
                yield (label if count == 1 else f"{label}.{place}"), router
        for label, (router, _) in self._named.items():
            yield plain_name(label), router

    def _require_distinct(self, labels: Iterable[str]) -> None:
        seen: set[str] = set()
        for label in labels:
            if not label or label in seen:
                raise self.refuse("", f"a node's name must be unique, not {label!r} twice")
            seen.add(label)


def plain_name(label: str) -> str:
    """Label with ``_`` in place of characters that none has."""
    return _UNFIT.sub("_", label)


def identifier(label: str) -> str:
    """Label as a part of a name of Verilog."""
    return plain_name(label).replace(".", "_")


def _count(value: object, most: int) -> int | None:
    """Count in a file, ``3`` or ``3.0``; None where it is no integer, or above `most`."""
    return parse_index(str(value).removesuffix(".0"), most + 1)
