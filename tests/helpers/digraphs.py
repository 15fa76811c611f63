"""Networks from lists of channels, one node per router; and drawn graphs of about 64 routers."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import rustworkx as rx
from hypothesis import strategies as st
from knotwork import Topology
from knotwork.parameters import Integer, Text, parameter
from knotwork.routing.generated import GENERAL


@dataclass(frozen=True, kw_only=True)
class Digraph(Topology):
    """Routers joined by channels, ``0>1``, or links that lead both ways, ``0-1``; of one kind."""

    name: ClassVar[str] = "digraph"
    routings: ClassVar[tuple[type, ...]] = GENERAL

    size: int = parameter(Integer(2, 4096), help="routers")
    joins: str = parameter(Text(), help="channels or links")

    @property
    def instance_name(self):
        return f"digraph{self.size}"

    @property
    def channels(self):
        """Pairs of routers."""
        sign = ">" if self.is_one_way else "-"
        found = [tuple(map(int, join.split(sign))) for join in self.joins.split()]
        return found if self.is_one_way else sorted([*found, *((b, a) for a, b in found)])

    @property
    def nodes(self):
        return self.size

    @property
    def is_one_way(self):
        return ">" in self.joins

    @cached_property
    def _tables(self):
        out, into = [[] for _ in range(self.size)], [[] for _ in range(self.size)]
        for router, far in self.channels:
            out[router].append(far)
            into[far].append(router)
        count = max(map(len, [*out, *into]))
        tables = np.full((2, self.size, 1 + count), -1, np.int32)
        for router, far_ones in enumerate(out):
            for place, far in enumerate(far_ones):
                tables[:, router, 1 + place] = far, 1 + into[far].index(router)
        return tables

    @property
    def ports(self):
        return ("local", *(f"p{port}" for port in range(1, self._tables.shape[2])))

    @property
    def neighbours(self):
        return self._tables[0]

    @property
    def peer_ports(self):
        return self._tables[1]


def linked(size, links):
    """Network whose links lead both ways."""
    pairs = sorted({(min(link), max(link)) for link in links})
    return Digraph(size=size, joins=" ".join(f"{a}-{b}" for a, b in pairs))


def one_way(size, channels):
    """Network of channels."""
    return Digraph(size=size, joins=" ".join(f"{a}>{b}" for a, b in channels))


@st.composite
def digraphs(draw, most=64):
    """Strongly connected digraphs: a ring through all routers in some order, and more channels."""
    size = draw(st.integers(2, most))
    ring = draw(st.permutations(range(size)))
    channels = set(zip(ring, [*ring[1:], ring[0]], strict=True))
    ends = st.integers(0, size - 1)
    for a, b in draw(st.lists(st.tuples(ends, ends), max_size=2 * size)):
        if a != b:
            channels.add((a, b))
    if draw(st.booleans()):
        return linked(size, channels)
    return one_way(size, sorted(channels))


def connected(size, links):
    graph = rx.PyGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from_no_data(list(links))
    return rx.is_connected(graph)


def random_regular(size, degree, seed):
    """Random graph in which each router has `degree` links: stubs joined, bad pairs exchanged."""
    rng = np.random.default_rng([seed, degree])
    while True:
        stubs = rng.permutation(np.repeat(np.arange(size), degree)).reshape(-1, 2)
        links, bad = set(), []
        for a, b in np.sort(stubs, axis=1).tolist():
            (bad.append if a == b or (a, b) in links else links.add)((a, b))
        for _ in range(1000):
            if not bad:
                break
            a, b = bad.pop()
            c, d = sorted(links)[rng.integers(len(links))]
            new = {(min(a, c), max(a, c)), (min(b, d), max(b, d))}
            if a == c or b == d or len(new) < 2 or new & links:
                bad.append((a, b))
                continue
            links = links - {(c, d)} | new
        if not bad and connected(size, links):
            return linked(size, links)


def mesh_with_dead(dead, seed, x=8, y=8):
    """Mesh without some routers that are drawn, numbered anew."""
    rng = np.random.default_rng([seed, dead])
    while True:
        gone = set(rng.choice(x * y, dead, replace=False).tolist())
        number = {r: i for i, r in enumerate(r for r in range(x * y) if r not in gone)}
        pairs = [(r, r + 1) for r in range(x * y) if r % x < x - 1]
        pairs += [(r, r + x) for r in range(x * (y - 1))]
        links = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
        if connected(len(number), links):
            return linked(len(number), links)


def small_world(size, seed, near=2, share=0.2):
    """Ring with links to the next routers, of which a share leads elsewhere (Watts, Strogatz)."""
    rng = np.random.default_rng([seed, size])
    while True:
        links = set()
        for a in range(size):
            for step in range(1, near + 1):
                b = (a + step) % size
                while rng.random() < share or b == a or (min(a, b), max(a, b)) in links:
                    b = int(rng.integers(size))
                links.add((min(a, b), max(a, b)))
        if connected(size, links):
            return linked(size, links)


def hundred_graphs():
    """Random regular of degree 3 to 5, meshes with 1 to 3 dead routers, small worlds."""
    for seed in range(100):
        kind, more = seed % 3, seed // 3 % 3
        if kind == 0:
            yield f"regular {3 + more}", random_regular(64, 3 + more, seed)
        elif kind == 1:
            yield f"mesh - {1 + more}", mesh_with_dead(1 + more, seed)
        else:
            yield "small world", small_world(64, seed)
