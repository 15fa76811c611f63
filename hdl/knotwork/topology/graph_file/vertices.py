"""Vertices and edges of a file that names both: routers, nodes, links, and links to nodes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .builder import GraphBuilder, GraphData, identifier


class Vertex(NamedTuple):
    """Vertex of a file: its name, attributes and place."""

    name: str
    facts: Mapping[str, Any]
    where: str


class Edge(NamedTuple):
    """Edge of a file: the names of its ends, its attributes, whether one way, and its place."""

    ends: tuple[str, str]
    facts: Mapping[str, Any]
    one_way: bool
    where: str


def build(builder: GraphBuilder, vertices: Iterable[Vertex], edges: Iterable[Edge]) -> GraphData:
    """Graph of vertices and edges.

    A vertex whose ``kind`` is ``node`` is a node, on the router that its edge leads to; all others
    are routers. A router's ``nodes`` says how many nodes it has: one where it says nothing, but
    none where there are vertices for nodes. ``label`` is the printable name, where no other vertex
    has the same, and else the vertex's own name is; ``latency`` is a link's.

    Raises
    ------
    ConfigurationError
        A name twice, an edge without its vertex, a node on no router or on two.
    """
    routers: dict[str, int] = {}
    nodes: dict[str, Vertex] = {}
    labels: dict[str, str] = {}
    for vertex, label in _labelled(list(vertices)):
        if vertex.name in routers or vertex.name in nodes:
            what = "node" if vertex.name in nodes else "router"
            raise builder.refuse(
                vertex.where, f"a {what}'s name must stand once, not {vertex.name!r} twice"
            )
        if vertex.facts.get("kind") == "node":
            nodes[vertex.name], labels[vertex.name] = vertex, label
            continue
        number = builder.add_router(label, vertex.where)
        routers[vertex.name] = number
        if vertex.facts.get("nodes") is not None:
            builder.set_nodes(number, vertex.facts["nodes"], vertex.where)
    on: dict[str, int] = {}
    for edge in edges:
        for end in edge.ends:
            if end not in routers and end not in nodes:
                raise builder.refuse(
                    edge.where, f"an end must be a vertex of the file, not {end!r}"
                )
        of_nodes = [end for end in edge.ends if end in nodes]
        if of_nodes:
            _attach(builder, edge, of_nodes[0], routers, on)
            continue
        first, second = (routers[end] for end in edge.ends)
        latency = edge.facts.get("latency", 1)
        builder.add_link(first, second, edge.where, two_way=not edge.one_way, latency=latency)
    for name, vertex in nodes.items():
        if name not in on:
            raise builder.refuse(vertex.where, f"node {name} must be on a router, not on none")
        builder.add_node(labels[name], on[name], vertex.where)
    return builder.build()


def _labelled(vertices: Sequence[Vertex]) -> Iterator[tuple[Vertex, str]]:
    """Vertices, and what each is called: by its label, or by its name where that is not unique."""
    called = []
    for vertex in vertices:
        label = vertex.facts.get("label")
        called.append(vertex.name if label in (None, "") else str(label))
    several = True
    while several:  # a name may be what another is called
        keys = [
            (vertex.facts.get("kind") == "node", identifier(label))
            for vertex, label in zip(vertices, called, strict=True)
        ]
        counts, several = Counter(keys), False
        for place, vertex in enumerate(vertices):
            if counts[keys[place]] > 1 and called[place] != vertex.name:
                called[place], several = vertex.name, True
    return zip(vertices, called, strict=True)


def _attach(
    builder: GraphBuilder, edge: Edge, node: str, routers: Mapping[str, int], on: dict[str, int]
) -> None:
    """Put a node on the router of its edge."""
    other = edge.ends[edge.ends[0] == node]
    if other not in routers:
        raise builder.refuse(edge.where, f"node {node} must be on a router, not on node {other}")
    if on.setdefault(node, routers[other]) != routers[other]:
        before = next(name for name, number in routers.items() if number == on[node])
        raise builder.refuse(
            edge.where, f"node {node} must be on one router, not on {before} and on {other}"
        )
