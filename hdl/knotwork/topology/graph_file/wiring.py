"""Ports of a graph's links: as few at every router as the most links that meet at one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np


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
        As `AddressedGraph` has them, int32 of shape (routers, ports).
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
