"""Disjoint paths: as many as Menger's theorem says, as short as is known, and disjoint."""

from itertools import combinations, pairwise

import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Petersen, Tcpg, Torus
from knotwork.routing.walks.disjoint_paths import disjoint_paths


def checked(neighbours, source, target):
    """Paths that follow links, from end to end, without a common router."""
    paths = disjoint_paths(neighbours, source, target)
    for path in paths:
        assert (path[0], path[-1]) == (source, target)
        assert all(b in neighbours[a] for a, b in pairwise(path))
    inner = [router for path in paths for router in path[1:-1]]
    assert len(inner) == len(set(inner))
    assert source not in inner
    assert target not in inner
    assert len({tuple(path) for path in paths}) == len(paths)
    return [len(path) - 1 for path in paths]


def test_petersen_graph():
    # Liu and Han, section 2.1: 1, 4, 4 between neighbours, else 2, 3, 3.
    topology = Petersen()
    for source, target in combinations(range(10), 2):
        near = target in topology.neighbours[source]
        hops = checked(topology.neighbours, source, target)
        assert hops == ([1, 4, 4] if near else [2, 3, 3])


@pytest.mark.parametrize("target", [1, 3, 7, 15])
def test_hypercube(target):
    # d paths of length d, and n - d of length d + 2.
    d = target.bit_count()
    hops = checked(Hypercube(n=4).neighbours, 0, target)
    assert hops == [d] * d + [d + 2] * (4 - d)


@pytest.mark.parametrize(
    ("topology", "count"),
    [
        (Tcpg(k=2, m=2), 7),  # the global minimum cuts are the degrees
        (Tcpg(k=1, m=1), 5),
        (Moebius(n=4, twist=1), 4),
        (Torus(x=4, y=4, directions="one"), 2),
    ],
    ids=str,
)
def test_as_many_as_links_of_a_router(topology, count):
    for target in range(1, topology.nodes, 7):
        assert len(checked(topology.neighbours, 0, target)) == count


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 8), st.integers(0, 2**28 - 1))
def test_as_many_as_routers_that_part_the_ends(size, bits):
    """Menger's theorem, on graphs small enough to try every set of routers."""
    pairs = list(combinations(range(size), 2))
    links = [pair for place, pair in enumerate(pairs) if bits >> place & 1 and pair != (0, 1)]
    neighbours = np.full((size, size), -1)
    for a, b in links:
        neighbours[a, b], neighbours[b, a] = b, a
    hops = checked(neighbours, 0, 1)
    others = range(2, size)
    for count in range(size - 1):
        for removed in combinations(others, count):
            graph = rx.PyGraph()
            graph.add_nodes_from(range(size))
            kept = [(a, b) for a, b in links if not {a, b} & set(removed)]
            graph.add_edges_from_no_data(kept)
            if not rx.has_path(graph, 0, 1):
                assert len(hops) == count
                return
    raise AssertionError("ends without a link are parted by all others")
