"""Paths of a node's packets: those that share no router, and all of them as a tree.

References
----------
R. Bhandari, "Survivable Networks: Algorithms for Diverse Routing", 1999: shortest augmenting paths
in the graph whose nodes are split in two; so as many paths as there are have the fewest hops.
"""

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..routing_rule import RoutingRule

LEAVING = 1
"""Half of a split router that its packets leave from; 0 is the half that they come to."""


def disjoint_paths(neighbours: np.ndarray, source: int, target: int) -> list[list[int]]:
    """Most paths without a common router but their ends, with the fewest hops in all.

    Parameters
    ----------
    neighbours : ndarray
        Router behind each port, int, shape (routers, ports); -1 where there is none.
    source, target : int
        Two different routers.

    Returns
    -------
    list of list of int
        Routers of each path, both ends included; the shortest first.
    """
    import rustworkx as rx

    graph: Any = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(2 * len(neighbours)))
    router, port = np.nonzero(neighbours >= 0)
    links = set(zip(router.tolist(), neighbours[router, port].tolist(), strict=True))
    graph.add_edges_from((2 * a + LEAVING, 2 * b, 1.0) for a, b in sorted(links))
    graph.add_edges_from((2 * a, 2 * a + LEAVING, 0.0) for a in range(len(neighbours)))
    start, end = 2 * source + LEAVING, 2 * target
    shortest = partial(rx.digraph_bellman_ford_shortest_paths, graph, start, weight_fn=float)
    while len(found := shortest(target=end)):
        path = list(found[end])
        for here, there in pairwise(path):
            hops = graph.get_edge_data(here, there)
            graph.remove_edge(here, there)
            graph.add_edge(there, here, -hops)
    # A link that is left reversed is one that a path takes.
    taken = {(a, b) for a, b in links if not graph.has_edge(2 * a + LEAVING, 2 * b)}
    after = {a: b for a, b in taken if a != source}
    paths = [_followed(after, source, first, target) for a, first in taken if a == source]
    return sorted(paths, key=lambda path: (len(path), path))


def _followed(after: dict[int, int], source: int, first: int, target: int) -> list[int]:
    path = [source, first]
    while path[-1] != target:
        path.append(after[path[-1]])
    return path


class Visit(NamedTuple):
    """Router that packets come to by one way: a vertex of the tree.

    Members
    -------
    router : int
        The router.
    before : int
        Visit from which they come, by its place in the tree; -1 at the root.
    port : int
        Port by which they leave the router before; the node's own at the root.
    depth : int
        Links from the root.
    nodes : list of int
        Nodes whose packets leave the network here; none where they only pass.
    """

    router: int
    before: int
    port: int
    depth: int
    nodes: list[int]


def routing_tree(routing: RoutingRule, source: int) -> list[Visit]:
    """Paths from a node to all others as a tree, each visit behind the one before it.

    A router is there once for each way by which packets come to it: a routing that takes one way to
    a router and another one through it has two visits of it, and packets only pass the second.
    """
    tree: list[Visit] = []
    places: dict[tuple[int, int], int] = {}  # of a visit, by the visit and the port before it
    for destination in range(routing.topology.nodes):
        if destination == source:
            continue
        place, port = -1, routing.topology.node_port(source)
        for hop in routing.hops(source, destination):
            before, place = place, places.setdefault((place, port), len(tree))
            if place == len(tree):
                depth = 0 if before < 0 else tree[before].depth + 1
                tree.append(Visit(hop.router, before, port, depth, []))
            port = hop.port
        tree[place].nodes.append(destination)
    return tree
