"""Dependences of channels, found by walking each pair in plain Python, and verdicts on them.

Nothing of the project is used but the rule and the links: rustworkx decides whether there is a
ring, and so does taking away, again and again, the channels that wait for nothing.
"""

import rustworkx as rx
from knotwork.topology import LOCAL


def dependences(routing, *, choices=None):
    """Pairs of channels (router, port, class): packets hold the first while they want the second.

    `choices` are the numbers with which packets that have not escaped call the rule; None: their
    class, and all other ways.
    """
    topology, found, escape = routing.topology, set(), routing.escape_class
    for source in range(topology.nodes):
        for destination in range(topology.nodes):
            states, seen = [(None, source, LOCAL, 0)], set()
            while states:
                held, router, port, vc_class = state = states.pop()
                if state in seen or router == destination:
                    continue
                seen.add(state)
                numbers = [vc_class]
                if escape is not None and vc_class < escape:
                    numbers = choices or [vc_class, *routing.other_ways]
                for number in numbers:
                    out, c = routing.rule(routing.parameters, router, port, number, destination)
                    wanted = router, int(out), int(c)
                    if held is not None:
                        found.add((held, wanted))
                    far = int(topology.neighbours[router, out])
                    states.append((wanted, far, int(topology.peer_ports[router, out]), int(c)))
    return found


def within_escape(routing, edges):
    """Dependences between channels of the escape classes."""
    escape = routing.escape_class
    return {(a, b) for a, b in edges if min(a[2], b[2]) >= escape}


def graph_of(edges):
    """Graph whose nodes are the channels."""
    graph = rx.PyDiGraph()
    number = {c: graph.add_node(c) for c in sorted({end for edge in edges for end in edge})}
    graph.add_edges_from_no_data([(number[a], number[b]) for a, b in sorted(edges)])
    return graph


def peeling_says_acyclic(edges):
    """Whether nothing is left when channels that wait for no other are taken away in turn."""
    left = set(edges)
    while True:
        waiting = {a for a, _ in left}
        kept = {(a, b) for a, b in left if b in waiting}
        if kept == left:
            return not left
        left = kept


def is_acyclic(edges):
    """What both say."""
    free = rx.is_directed_acyclic_graph(graph_of(edges))
    assert peeling_says_acyclic(edges) == free
    return free


def named(routing, edges):
    """Edges with channels as a report names them: from, to, class."""
    neighbours = routing.topology.neighbours
    return {tuple((r, int(neighbours[r, p]), c) for r, p, c in edge) for edge in edges}
