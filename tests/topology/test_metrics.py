import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.topology import metrics


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


def test_more_sources_than_one_pass(monkeypatch):
    monkeypatch.setattr(metrics, "_SOURCES_A_PASS", 4)
    monkeypatch.setattr(metrics, "_ROWS_A_PASS", 3)
    ring = np.array([[(i + 1) % 10, (i - 1) % 10] for i in range(10)])
    assert metrics.distance_counts(ring).tolist() == [10, 20, 20, 20, 20, 10]
    assert metrics.link_counts(ring) == (10, 10)


def test_a_graph_in_parts_is_refused():
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
