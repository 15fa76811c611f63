"""Measures that compare networks: bisections, groups, wires, codes, and papers' facts."""

from itertools import combinations

import numpy as np
import pytest
import rustworkx
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.topology import (
    Baseline,
    CubeConnectedCycles,
    Hypercube,
    Kyklos,
    Mesh,
    Moebius,
    Petersen,
    Ring,
    Rp,
    Tcpg,
    Torus,
    WkRecursive,
    comparison,
    metrics,
)
from knotwork.topology.comparison import largest_set, largest_sets
from knotwork.topology.metrics import Bounds, bisection

SMALL = [
    *(Hypercube(n=3), Hypercube(n=1), Moebius(n=1), Moebius(n=3), Moebius(n=4, twist=1)),
    *(CubeConnectedCycles(n=3), CubeConnectedCycles(n=4), Petersen(), Mesh(x=3, y=4)),
    *(Torus(x=2, y=5), WkRecursive(w=3, levels=2), WkRecursive(w=5, levels=1)),
]
by_name = {"ids": lambda topology: topology.instance_name}


def links_of(topology):
    """Ends of every link, double ones twice."""
    return [
        (router, int(other))
        for router, row in enumerate(topology.neighbours)
        for other in row
        if other > router
    ]


def by_trying_all(topology):
    links, nodes = links_of(topology), topology.nodes
    return min(
        sum((a in half) != (b in half) for a, b in links)
        for half in map(set, combinations(range(nodes), nodes // 2))
    )


class TestBisection:
    @pytest.mark.parametrize("topology", SMALL, **by_name)
    def test_between_its_bounds_as_by_trying_all(self, topology, monkeypatch):
        expected = by_trying_all(topology)
        found = topology.bisected
        assert found.low <= expected <= found.high
        assert found.exact in {None, expected}
        assert found.by == "formula" or topology.name != "moebius"
        # And as if neither formula nor search were there.
        monkeypatch.setattr(metrics, "HALVES_LIMIT", 0)
        found = bisection(topology.neighbours, None)
        assert found.by == "bounds"
        assert 1 <= found.low <= expected <= found.high

    def test_bounds_are_those_of_describe_without_a_formula_too(self, answer):
        topology = CubeConnectedCycles(n=6)
        low, high = topology.bisection_bounds
        assert [low, high] == answer("describe ccc n=6")["bisection_bounds"]
        halves = np.arange(topology.nodes) < topology.nodes // 2
        links = links_of(topology)
        assert 1 <= low <= high <= sum(halves[a] != halves[b] for a, b in links)
        assert Baseline(levels=2).bisection_bounds is None

    @pytest.mark.parametrize("topology", [CubeConnectedCycles(n=n) for n in (3, 4)], **by_name)
    def test_small_networks_are_searched(self, topology):
        expected = by_trying_all(topology)
        assert topology.bisected == Bounds(expected, expected, "search")

    # Sections 3 and 6 of the specification.
    @pytest.mark.parametrize(("k", "m", "links"), [(1, 1, 20), (1, 3, 40), (2, 3, 80), (3, 3, 120)])
    def test_of_tori_of_petersen_graphs(self, k, m, links):
        assert Tcpg(k=k, m=m).bisected == Bounds(links, links, "formula")
        low, high, _ = Rp(k=4 * k * m).bisected
        assert low <= high <= 20

    def test_of_large_networks_and_switches(self):
        # The second eigenvalue of the Laplacian is 2, as a hypercube's.
        assert bisection(Moebius(n=8).neighbours, None) == Bounds(128, 128, "bounds")
        assert bisection(Moebius(n=11).neighbours, None) == Bounds(1, 1024, "bounds")
        # As many switches as nodes.
        assert Baseline(levels=2).bisected is None


class TestGroups:
    # Section 6 of the specification.
    @pytest.mark.parametrize(
        ("topology", "distances"),
        [
            (Torus(x=15, y=16), [1, 2, 3, 3, 3, 4, 5, 5]),
            (Rp(k=24), [1, 2, 2, 2, 2, 3, 3, 3]),
            (Tcpg(k=2, m=3), [1, 2, 2, 2, 2, 3, 3, 3]),
        ],
    )
    def test_least_distances_are_exact(self, topology, distances):
        found = comparison.group_distances(topology, [2, 3, 6, 7, 8, 11, 16, 18])
        assert [bounds.exact for bounds in found] == distances
        assert {bounds.by for bounds in found} == {"search"}

    @pytest.mark.parametrize(
        "topology",
        [
            Hypercube(n=8),
            *(pytest.param(one, marks=pytest.mark.slow) for one in (Torus(x=15, y=16), Rp(k=24))),
        ],
        **by_name,
    )
    def test_large_networks_are_between_balls(self, topology, monkeypatch):
        sizes = [2, 5, 9, 18, 30, topology.nodes]
        exact = [found.exact for found in comparison.group_distances(topology, sizes)]
        monkeypatch.setattr(comparison, "GROUP_LIMIT", 8)
        for known, found in zip(exact, comparison.group_distances(topology, sizes), strict=True):
            assert known is not None
            assert found.low <= known <= found.high

    def test_unknown_groups_and_those_within_switches_and_copies(self, monkeypatch):
        assert comparison.group_distances(Petersen(), [10, 11]) == [Bounds(2, 2, "search"), None]
        assert comparison.group_distances(Petersen(), [11]) == [None]
        # Two binary trees over 8 nodes, the second with the digits reversed. Four nodes that differ
        # in digits 0 and 1 only meet on levels 0 and 1 of copy 0, two hops apart at most.
        found = comparison.group_distances(Kyklos(k=2, levels=3), [2, 4, 8])
        assert [bounds.exact for bounds in found] == [0, 2, 4]
        found = comparison.group_distances(Baseline(levels=3), [2, 3])
        hops = metrics.distances(Baseline(levels=3).neighbours)
        assert found[0] == Bounds(0, 0, "search")
        assert found[1].exact in hops[:8, :8]
        assert found[1].exact > 0
        assert comparison.group_distances(Tcpg(k=2, m=3), [40])[0].exact == 4
        assert comparison.group_distances(Rp(k=24), [40])[0].exact == 5
        monkeypatch.setattr(comparison, "GROUP_LIMIT", 8)
        assert comparison.group_distances(Mesh(x=3, y=4), [2]) == [None]


class TestWires:
    @given(data=st.data())
    def test_no_two_routers_have_one_place(self, data):
        topology = data.draw(
            st.one_of(
                st.builds(Tcpg, k=st.integers(1, 4), m=st.integers(1, 4)),
                st.builds(Rp, k=st.integers(1, 40)),
                st.builds(Torus, x=st.integers(2, 9), y=st.integers(2, 9)),
                st.builds(Hypercube, n=st.integers(1, 9)),
                st.builds(WkRecursive, w=st.integers(2, 5), levels=st.integers(1, 3)),
                st.sampled_from([Petersen(), Baseline(levels=4)]),
            )
        )
        place = comparison.placement(topology)
        assert place.shape == (topology.routers, 2)
        assert len(np.unique(place, axis=0)) == topology.routers
        assert place.min() == 0
        total, longest = comparison.wire_lengths(topology)
        lengths = [int(np.abs(place[a] - place[b]).sum()) for a, b in links_of(topology)]
        assert (total, longest) == (sum(lengths), max(lengths))

    @given(x=st.integers(2, 20), y=st.integers(2, 20))
    def test_of_rows_and_columns(self, x, y):
        # A line of n has n - 1 steps; a folded ring goes twice as far, in steps of two at most.
        mesh = y * (x - 1) + x * (y - 1)
        assert comparison.wire_lengths(Mesh(x=x, y=y)) == (mesh, 1)
        assert comparison.wire_lengths(Torus(x=x, y=y)) == (2 * mesh, min(max(x, y) - 1, 2))

    def test_of_complete_graphs_in_complete_graphs(self):
        """Each four routers are a square, and each four squares: links of six are 4 * 1 + 2 * 2."""
        squares = 4 * (4 * 1 + 2 * 2)
        total, longest = comparison.wire_lengths(WkRecursive(w=4, levels=2))
        assert total <= squares + 6 * 4
        assert longest <= 4
        # Row by row, in the order of their numbers.
        rows = np.stack(np.divmod(np.arange(16), 4), axis=1)
        links = links_of(WkRecursive(w=4, levels=2))
        assert total < sum(int(np.abs(rows[a] - rows[b]).sum()) for a, b in links)

    def test_of_petersen_graphs_and_a_hypercube(self):
        # Five spokes of 1, a pentagon of 2 (5 - 1), a pentagram of three steps of 2 and two of 3.
        assert comparison.wire_lengths(Petersen()) == (5 + 8 + 12, 4)
        # Two blocks beside each other: ten double links of 5.
        assert comparison.wire_lengths(Rp(k=2))[0] in {2 * 25 + 20 * 5, 2 * 25 + 20 * 2}
        # Four graphs, and double links of 5 along rows and of 2 along columns.
        assert comparison.wire_lengths(Tcpg(k=1, m=1)) == (4 * 25 + 40 * 5 + 40 * 2, 5)
        # Four columns and two rows.
        assert comparison.wire_lengths(Hypercube(n=3)) == (4 * 1 + 4 * 2 + 4 * 1, 2)


class TestRingCodes:
    @given(half=st.integers(1, 40))
    def test_gray_codes_go_round_a_bit_a_step(self, half):
        codes = comparison.gray_codes(2 * half)
        steps = zip(codes, [*codes[1:], codes[0]], strict=True)
        assert [(a ^ b).bit_count() for a, b in steps] == [1] * (2 * half)
        assert len(set(codes)) == 2 * half
        assert max(codes) < 1 << (2 * half - 1).bit_length()

    def test_codes_of_two_and_three_bits_and_of_small_rings(self):
        # Erratum T20 of the specification: five at 2 + 3 bits, of a torus of degree 4.
        found = comparison.ring_codes(Torus(x=8, y=4))
        assert found["gray"] == {"bits": 5, "isometric": False, "one_bit_neighbours": 5}
        assert found["johnson"] == {"bits": 6, "isometric": True, "one_bit_neighbours": 4}
        found = comparison.ring_codes(Tcpg(k=2, m=1))
        assert found["gray"] == found["johnson"]

    @given(k=st.integers(1, 16), m=st.integers(1, 16))
    def test_johnson_codes_are_isometric(self, k, m):
        found = comparison.ring_codes(Tcpg(k=k, m=m))["johnson"]
        near = sum(1 if half == 1 else 2 for half in (k, m))
        assert found == {"bits": k + m, "isometric": True, "one_bit_neighbours": near}

    @pytest.mark.parametrize("topology", [Torus(x=15, y=16), Mesh(x=4, y=4), Hypercube(n=3)])
    def test_none_without_even_rings(self, topology):
        assert comparison.ring_codes(topology) is None


def printed(topology, *groups):
    return {told.name: told.value for told in topology.published_facts(groups)}


# k, m: degree, links, diameter and bisection of TCPG(k, m), RP(4km) and the torus of 40km nodes.
TABLE = {
    (1, 2): ((7, 280, 5, 40), (5, 200, 6, 40), (4, 160, 20, 17.8885)),
    (2, 3): ((7, 840, 7, 120), (5, 600, 14, 120), (4, 480, 60, 30.9839)),
    (3, 3): ((7, 1260, 8, 180), (5, 900, 20, 180), (4, 720, 90, 37.9473)),
}
SIDES = {(1, 2): (8, 10), (2, 3): (15, 16), (3, 3): (18, 20)}


@pytest.mark.parametrize(("k", "m"), TABLE)
def test_table_1(k, m):
    x, y = SIDES[k, m]
    made = Tcpg(k=k, m=m), Rp(k=4 * k * m), Torus(x=x, y=y)
    for topology, row in zip(made, TABLE[k, m], strict=True):
        found = printed(topology)
        facts = [found[fact] for fact in ("degree", "links", "diameter", "bisection")]
        assert facts == pytest.approx(row, abs=1e-4)


# Group sizes and distances by the printed equations (1), (2) and (3).
GROUPS = {2: (0, 1, 1), 3: (0, 2.28, 2), 6: (2, 2.53, 2), 11: (4, 2.90, 3), 50: (12, 4.90, 6)}


@pytest.mark.parametrize("size", GROUPS)
def test_equations_of_groups(size):
    made = Torus(x=8, y=10), Tcpg(k=2, m=2), Rp(k=4)
    found = [printed(topology, size)[f"group of {size}"] for topology in made]
    assert found == pytest.approx(GROUPS[size], abs=5e-3)


def test_networks_of_other_sizes_or_without_a_paper_are_told_nothing():
    assert not any(
        topology.published_facts([2]) for topology in (Rp(k=3), Torus(x=4, y=4), Ring(n=4))
    )
    assert not Torus(x=8, y=10, directions="one").published_facts()


def hops_of(graph):
    return rustworkx.distance_matrix(graph).astype(int)


def largest_by_trying_all(hops, d):
    nodes = range(len(hops))
    for size in range(len(hops), 0, -1):
        for group in combinations(nodes, size):
            if all(hops[a, b] <= d for a, b in combinations(group, 2)):
                return size
    raise AssertionError


@given(nodes=st.integers(1, 9), seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.4, 0.8]))
def test_in_any_small_graph_as_by_trying_all(nodes, seed, share):
    draw = np.random.default_rng(seed)
    graph = rustworkx.generators.path_graph(nodes)
    for a, b in combinations(range(nodes), 2):
        if draw.random() < share:
            graph.add_edge(a, b, None)
    hops = hops_of(graph)
    for d in range(int(hops.max()) + 1):
        expected = largest_by_trying_all(hops, d)
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
        patch.setattr(comparison, "EFFORT", 0)
        for d in range(1, int(hops.max()) + 1):
            least, most = largest_set(hops, d, 9, transitive=False)
            assert least <= largest_by_trying_all(hops, d) <= most


def test_enough_is_enough():
    hops = metrics.distances(Tcpg(k=2, m=3).neighbours)
    found = largest_sets(hops, 6, transitive=True)
    assert len(found) == 3
    assert found[:2] == [(1, 1), (2, 2)]
    assert 6 <= found[2][0] <= 10 <= found[2][1]


def neighbours_of(graph: rx.PyGraph) -> np.ndarray:
    """Rows of neighbours, filled with -1; a port need not be the same at both ends."""
    rows = [[] for _ in graph.node_indices()]
    for a, b in graph.edge_list():
        rows[a].append(b)
        rows[b].append(a)
    width = max(map(len, rows), default=0) + 1
    return np.array([[-1] * (width - len(row)) + row for row in rows], np.int32)


@st.composite
def connected_graphs(draw):
    """A random tree with random links added, double ones among them."""
    size = draw(st.integers(2, 90))
    graph = rx.PyGraph(multigraph=True)
    graph.add_nodes_from(range(size))
    for node in range(1, size):
        graph.add_edge(draw(st.integers(0, node - 1)), node, None)
    for _ in range(draw(st.integers(0, 20))):
        a, b = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        if a != b:
            graph.add_edge(a, b, None)
    return graph


@settings(max_examples=40)
@given(graph=connected_graphs(), data=st.data())
def test_distances_links_and_degrees_of_any_graph(graph, data):
    neighbours = neighbours_of(graph)
    matrix = rx.distance_matrix(graph).astype(int)
    assert metrics.distance_counts(neighbours).tolist() == np.bincount(matrix.ravel()).tolist()
    assert (metrics.distances(neighbours) == matrix).all()
    a, b = (data.draw(st.integers(0, graph.num_nodes() - 1)) for _ in range(2))
    assert metrics.distance(neighbours, a, b) == matrix[a, b]
    simple = {frozenset(edge) for edge in graph.edge_list()}
    assert metrics.link_counts(neighbours) == (graph.num_edges(), len(simple))
    degrees = [graph.degree(node) for node in graph.node_indices()]
    assert metrics.degrees(neighbours) == (min(degrees), max(degrees))


def test_passes_parts_and_enough(monkeypatch):
    monkeypatch.setattr(metrics, "_SOURCES_A_PASS", 4)
    monkeypatch.setattr(metrics, "_ROWS_A_PASS", 3)
    ring = np.array([[(i + 1) % 10, (i - 1) % 10] for i in range(10)])
    assert metrics.distance_counts(ring).tolist() == [10, 20, 20, 20, 20, 10]
    assert metrics.link_counts(ring) == (10, 10)
    parts = np.array([[1], [0], [3], [2]])
    with pytest.raises(ValueError, match=r"^the graph must be connected, not in parts$"):
        metrics.distance_counts(parts)
    with pytest.raises(ValueError, match=r"^the graph must be connected, not in parts$"):
        metrics.distances(parts)
    with pytest.raises(ValueError, match=r"^router 2 must be reachable from router 0$"):
        metrics.distance(parts, 0, 2)


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(*[st.integers(0, 3)] * 5), min_size=1, max_size=40))
def test_port_patterns_are_the_distinct_rows(rows):
    patterns, number = metrics.port_patterns(np.array(rows, np.int8))
    assert [tuple(pattern) for pattern in patterns.tolist()] == sorted(set(rows))
    assert [tuple(patterns[kind].tolist()) for kind in number] == rows


def test_one_router_has_one_half_and_no_cut():
    found = Network.from_word("mesh:x=2,y=1,dead=0").topology.bisected
    assert (found.low, found.high) == (0, 0)
