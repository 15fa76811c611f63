"""Routing trees: the paths of a node's packets to all others, equal beginnings drawn together."""

from typing import NamedTuple

from ..routing_rule import RoutingRule


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
