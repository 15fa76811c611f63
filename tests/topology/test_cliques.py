from itertools import combinations

import numpy as np
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st
from knotwork.topology import Hypercube, Rp, Tcpg, Torus, cliques, metrics
from knotwork.topology.cliques import largest_set, largest_sets


def hops_of(graph):
    return rustworkx.distance_matrix(graph).astype(int)


def by_trying_all(hops, d):
    nodes = range(len(hops))
    for size in range(len(hops), 0, -1):
        for group in combinations(nodes, size):
            if all(hops[a, b] <= d for a, b in combinations(group, 2)):
                return size
    raise AssertionError


@given(
    nodes=st.integers(1, 9),
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.1, 0.4, 0.8]),
)
def test_in_any_small_graph_as_by_trying_all(nodes, seed, share):
    draw = np.random.default_rng(seed)
    graph = rustworkx.generators.path_graph(nodes)
    for a, b in combinations(range(nodes), 2):
        if draw.random() < share:
            graph.add_edge(a, b, None)
    hops = hops_of(graph)
    for d in range(int(hops.max()) + 1):
        expected = by_trying_all(hops, d)
        assert largest_set(hops, d, nodes, transitive=False) == (expected, expected)


# Section 6 of the specification: the largest sets by distance from 1 on.
@pytest.mark.parametrize(
    ("topology", "sizes"),
    [
        (Torus(x=15, y=16), [2, 5, 8, 13, 18]),
        (Rp(k=24), [2, 10, 20, 30, 40]),
        (Tcpg(k=3, m=3), [2, 10, 20, 50]),
        # Kleitman: balls of radius d / 2, or two of them.
        (Hypercube(n=8), [2, 9, 16, 37]),
    ],
)
def test_sets_of_the_comparison(topology, sizes):
    hops = metrics.distances(topology.neighbours)
    found = largest_sets(hops, sizes[-1], transitive=True)
    assert found[0] == (1, 1)
    assert [least for least, _ in found[1 : len(sizes) + 1]] == sizes
    assert all(least == most for least, most in found[1 : len(sizes)])


@given(seed=st.integers(0, 2**32))
def test_given_up_there_are_bounds(seed):
    draw = np.random.default_rng(seed)
    graph = rustworkx.undirected_gnp_random_graph(9, 0.5, seed=int(draw.integers(2**31)))
    graph.extend_from_edge_list([(i, i + 1) for i in range(8)])
    hops = hops_of(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cliques, "EFFORT", 0)
        for d in range(1, int(hops.max()) + 1):
            least, most = largest_set(hops, d, 9, transitive=False)
            assert least <= by_trying_all(hops, d) <= most


def test_enough_is_enough():
    hops = metrics.distances(Tcpg(k=2, m=3).neighbours)
    found = largest_sets(hops, 6, transitive=True)
    assert len(found) == 3
    assert found[:2] == [(1, 1), (2, 2)]
    assert 6 <= found[2][0] <= 10 <= found[2][1]
