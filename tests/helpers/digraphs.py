"""Networks of a test's own from lists of channels: any digraph, one node per router."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
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
