"""Places of a graph's vertices in a drawing."""

from collections.abc import Sequence

import numpy as np

SEED = 1


def force_layout(vertices: int, ends: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places by springs along the edges and a repulsion of all vertices; the same at every call.

    Parameters
    ----------
    vertices : int
        Vertices.
    ends : sequence of (int, int)
        Vertices that each edge joins.

    Returns
    -------
    ndarray
        float64 of shape (vertices, 2).
    """
    import rustworkx as rx

    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from_no_data(list(ends))
    turn = 2 * np.pi / max(vertices, 1)
    circle = {v: (float(np.sin(turn * v)), float(-np.cos(turn * v))) for v in range(vertices)}
    places = rx.spring_layout(graph, pos=circle, num_iter=1000, seed=SEED)
    return np.array([places[vertex] for vertex in range(vertices)], float)
