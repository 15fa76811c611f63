"""Graph files of topologies and of channel dependences, for other programs."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..errors import ConfigurationError, ToolError
from ..extras import install_hint
from ..network import Network
from ..routing.deadlock import ENUMERATION_LIMIT
from ..routing.routing_rule import RoutingRule
from ..routing.walks.channel_graph import ChannelGraph, Place
from ..topology import Topology
from .boxes import Link, has_node_boxes, links_of, nodes_at_ports

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"


class Keys(NamedTuple):
    """Attributes that a document declares: GraphML's type of each, by name.

    Members
    -------
    of_graph, of_vertex, of_edge : mapping of str to str
        Attributes of the graph, of its vertices and of its edges.
    """

    of_vertex: Mapping[str, str]
    of_edge: Mapping[str, str]
    of_graph: Mapping[str, str] = {}


class Document:
    """GraphML document in the making.

    Parameters
    ----------
    name : str
        Name of the graph.
    keys : Keys
        Attributes that it may have. One name in two groups has two keys.
    directed : bool
        Whether edges lead one way.
    facts : mapping of str to object
        Attributes of the graph itself.
    """

    def __init__(
        self, name: str, keys: Keys, *, directed: bool, facts: Mapping[str, object] | None = None
    ) -> None:
        self._lines = [
            "<?xml version='1.0' encoding='utf-8'?>",
            f"<graphml xmlns={quoteattr(NAMESPACE)}>",
        ]
        groups = {"node": keys.of_vertex, "edge": keys.of_edge, "graph": keys.of_graph}
        taken: set[str] = set()
        self._ids: dict[str, dict[str, str]] = {}
        for owner, known in groups.items():
            self._ids[owner] = {
                name: f"{owner}_{name}" if name in taken else name for name in known
            }
            taken |= set(known)
            for own, kind in known.items():
                self._lines.append(
                    f"  <key id={quoteattr(self._ids[owner][own])} for={quoteattr(owner)} "
                    f"attr.name={quoteattr(own)} attr.type={quoteattr(kind)} />"
                )
        direction = "directed" if directed else "undirected"
        self._lines.append(f'  <graph id={quoteattr(name)} edgedefault="{direction}">')
        self._lines += self._data("graph", facts or {}, "    ")

    def add_vertex(self, name: str, facts: Mapping[str, object]) -> None:
        """Add a vertex; a fact that is None is left out."""
        self._add("node", f"id={quoteattr(name)}", facts)

    def add_edge(self, source: str, target: str, facts: Mapping[str, object]) -> None:
        """Add an edge; a fact that is None is left out."""
        self._add("edge", f"source={quoteattr(source)} target={quoteattr(target)}", facts)

    def text(self) -> str:
        """Whole document."""
        return "\n".join([*self._lines, "  </graph>", "</graphml>", ""])

    def _add(self, owner: str, attributes: str, facts: Mapping[str, object]) -> None:
        data = self._data(owner, facts, "      ")
        self._lines.append(f"    <{owner} {attributes}{'' if data else ' /'}>")
        if data:
            self._lines += [*data, f"    </{owner}>"]

    def _data(self, owner: str, facts: Mapping[str, object], indent: str) -> list[str]:
        ids = self._ids[owner]
        return [
            f"{indent}<data key={quoteattr(ids[name])}>{escape(_word(value))}</data>"
            for name, value in facts.items()
            if value is not None
        ]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_KEYS = Keys(
    {"kind": "string", "index": "int", "label": "string", "address": "long"},
    {"source_port": "string", "target_port": "string", "special": "boolean"},
)
_LONG_KEYS = Keys(_KEYS.of_vertex, {**_KEYS.of_edge, "latency": "int"})
"""Keys where links take more than a cycle."""


def anynet(network: Network) -> str:
    """Network file of BookSim 2's ``anynet``: one line per router, with its nodes and its links.

    A link stands in the line of its lower router. One that takes more than a cycle stands in the
    lines of both, with its latency: there it is that of the channel that leaves the line's router.

    Raises
    ------
    ConfigurationError
        Parallel links, a node on several routers, one-way links: ``anynet`` cannot say them.

    References
    ----------
    N. Jiang et al., BookSim 2, src/networks/anynet.cpp, head and `AnyNet::readFile`.
    """
    topology = network.topology
    if topology.is_one_way:
        raise ConfigurationError(
            f"{network.name}: --anynet must have links that lead both ways, not one way only"
        )
    links = _router_links(network)
    for (first, second), count in Counter(link.ends for link in links).items():
        if count > 1:
            raise ConfigurationError(
                f"{network.name}: --anynet must have at most one link between two routers, not "
                f"{count} between {first} and {second}"
            )
    beside: list[list[str]] = [[] for _ in range(topology.routers)]
    for node, routers in enumerate(_routers_of_nodes(network)):
        if len(routers) > 1:
            raise ConfigurationError(
                f"{network.name}: --anynet must have nodes with one link each, not node {node} "
                f"with {len(routers)}"
            )
        beside[routers[0]].append(f"node {node}")
    for link in links:
        first, second = link.ends
        if link.latency > 1:
            beside[first].append(f"router {second} {link.latency}")
            beside[second].append(f"router {first} {link.latency}")
        else:
            beside[first].append(f"router {second}")
    return "".join(
        " ".join([f"router {router}", *others]) + "\n" for router, others in enumerate(beside)
    )


def edges(network: Network) -> str:
    """Edges as pairs of numbers, one per line, under lines of comment (``#``).

    Routers keep their indices; where nodes are not routers, node i has the number of routers + i.
    Each parallel link has its line; ``0 -> 1`` leads one way. The latency of a link that takes more
    than a cycle follows.
    """
    topology = network.topology
    head = [network.name, f"{topology.routers} routers: 0..{topology.routers - 1}"]
    if has_node_boxes(topology):
        last = topology.routers + topology.nodes - 1
        head.append(f"{topology.nodes} nodes: {topology.routers}..{last}")
    lines = [f"# {line}" for line in head]
    arrow = ["->"] if topology.is_one_way else []
    for link in links_of(topology):
        latency = [link.latency] if link.latency > 1 else []
        lines.append(" ".join(map(str, [link.ends[0], *arrow, link.ends[1], *latency])))
    return "\n".join(lines) + "\n"


def graphml(network: Network) -> str:
    """GraphML document: routers, nodes where they are not routers, and all links.

    Vertices have ``kind`` (``router`` or ``node``), ``index``, ``label`` and, where they are nodes,
    ``address``. Links have the names of the ports at both ends, and ``special``: whether the
    topology marks them; and ``latency``, in cycles, where some take more than one.
    """
    keys = _KEYS if network.topology.link_latency is None else _LONG_KEYS
    document = Document(network.name, keys, directed=network.topology.is_one_way)
    for name, facts in vertices_of(network.topology):
        document.add_vertex(name, facts)
    for ends, facts in edges_of(network.topology):
        document.add_edge(*ends, facts)
    return document.text()


def node_link(network: Network) -> str:
    """JSON in node-link form, as NetworkX reads it: what `graphml` says.

    The list of links is called ``edges``, as in NetworkX 3.6; earlier ones need ``edges="edges"``.
    """
    topology = network.topology
    nodes = [{"id": name} | known(facts) for name, facts in vertices_of(topology)]
    ends = edges_of(topology)
    links = [{"source": a, "target": b, "key": key} | known(facts)
             for key, ((a, b), facts) in enumerate(ends)]  # fmt: skip
    graph = {"directed": topology.is_one_way, "multigraph": True, "graph": {"name": network.name}}
    return json.dumps(graph | {"nodes": nodes, "edges": links}, indent=1) + "\n"


Facts = dict[str, object]


def networkx_graph(shown: Network | Topology) -> Any:
    """Graph of a network or a topology; see `pictures.NotebookDisplay.to_networkx`."""
    try:
        networkx: Any = import_module("networkx")
    except ImportError:
        raise ToolError(install_hint("networkx", "networkx")) from None
    if isinstance(shown, Network):
        topology, name = shown.topology, shown.name
    else:
        topology, name = shown, shown.instance_name
    kind = networkx.MultiDiGraph if topology.is_one_way else networkx.MultiGraph
    graph = kind(name=name)
    for vertex, facts in vertices_of(topology):
        graph.add_node(vertex, **known(facts))
    for key, ((first, second), facts) in enumerate(edges_of(topology)):
        graph.add_edge(first, second, key, **known(facts))
    return graph


def vertices_of(topology: Topology) -> Iterator[tuple[str, Facts]]:
    """Name and attributes of each vertex; an attribute that it lacks is None."""
    apart = has_node_boxes(topology)
    for router in range(topology.routers):
        address = None if apart else topology.address(router)
        label = topology.router_label(router)
        facts = {"kind": "router", "index": router, "label": label, "address": address}
        yield f"r{router}", facts
    for node in range(topology.nodes) if apart else ():
        address, label = topology.address(node), topology.label(node)
        facts = {"kind": "node", "index": node, "label": label, "address": address}
        yield f"n{node}", facts


def edges_of(topology: Topology) -> Iterator[tuple[tuple[str, str], Facts]]:
    """Ends and attributes of each edge, as `vertices_of` names vertices."""
    routers, ports = topology.routers, topology.ports
    for link in links_of(topology):
        source, target = (f"r{end}" if end < routers else f"n{end - routers}" for end in link.ends)
        far = None if target.startswith("n") else ports[link.ports[1]]
        facts: Facts = {"source_port": ports[link.ports[0]], "target_port": far}
        facts["special"] = link.marked
        if topology.link_latency is not None and far is not None:
            facts["latency"] = link.latency
        yield (source, target), facts


def known(facts: Facts) -> Facts:
    """Attributes that there are."""
    return {name: value for name, value in facts.items() if value is not None}


def _router_links(network: Network) -> list[Link]:
    """Links between routers."""
    routers = network.topology.routers
    return [link for link in links_of(network.topology) if link.ends[1] < routers]


def _routers_of_nodes(network: Network) -> list[list[int]]:
    """Routers that each node has a link to; in a direct network its own."""
    topology, nodes = network.topology, nodes_at_ports(network.topology)
    if not has_node_boxes(topology):
        return [[topology.router_of(node)] for node in range(topology.nodes)]
    return [np.nonzero(nodes == node)[0].tolist() for node in range(topology.nodes)]


_DEPENDENCE_KEYS = Keys(
    of_vertex={
        "kind": "string",
        "router": "int",
        "label": "string",
        "port": "string",
        "virtual_channel": "int",
        "class": "int",
        "to": "int",
        "in_cycle": "boolean",
    },
    of_edge={
        "router": "int",
        "input_port": "string",
        "input_virtual_channel": "int",
        "output_port": "string",
        "output_virtual_channel": "int",
        "in_cycle": "boolean",
    },
    of_graph={
        "network": "string",
        "routing": "string",
        "virtual_channels": "int",
        "escape_class": "int",
        "deadlock_free": "boolean",
        "reason": "string",
    },
)


def dependence_graph(network: Network) -> str:
    """GraphML document: a vertex per virtual channel, an edge per turn by which one waits.

    Vertices have ``kind`` (``channel``, or ``store`` and ``injection`` of multicast units),
    ``router`` and ``label`` (where the channel begins), ``port``, ``virtual_channel``, ``class``
    and ``to`` (the router where it ends). Edges have the turn that a packet takes from one to the
    next: ``router``, ``input_port``, ``input_virtual_channel``, ``output_port`` and
    ``output_virtual_channel``. ``in_cycle`` marks the cycle that `check` finds. The graph itself
    has ``network``, ``routing``, ``virtual_channels``, ``escape_class`` where there is one,
    ``deadlock_free`` and ``reason``. It is empty where no packet waits for a channel.

    Raises
    ------
    ConfigurationError
        More nodes than all pairs are walked for.
    """
    require_enumerable(network)
    routing, report = network.routing, network.deadlock_report
    facts = {"network": network.name, "routing": routing.name}
    facts |= {"virtual_channels": report.virtual_channels, "escape_class": routing.escape_class}
    facts |= {"deadlock_free": report.deadlock_free, "reason": report.reason}
    document = Document(network.name, _DEPENDENCE_KEYS, directed=True, facts=facts)
    if routing.settled is not None:
        return document.text()
    graph = ChannelGraph(routing, routing.walks)
    ring = graph.ring()
    cyclic = set(zip(ring, [*ring[1:], *ring[:1]], strict=True))
    _add_places(document, graph, set(ring))
    ports = network.topology.ports
    for edge in graph.edges():
        before, after = map(graph.place, edge)
        turn = graph.dependence(before, after)
        attributes = {"router": turn.router, "in_cycle": edge in cyclic}
        attributes |= {
            "input_port": ports[turn.input_port],
            "output_port": ports[turn.output_port],
        }
        for lane in range(routing.lanes):
            base = lane * routing.classes
            attributes["input_virtual_channel"] = base + turn.input_class
            attributes["output_virtual_channel"] = base + turn.output_class
            start, end = (_name(p, _first(routing, p, lane)) for p in (before, after))
            document.add_edge(start, end, attributes)
    return document.text()


def require_enumerable(network: Network) -> None:
    """Refuse a network whose packets are too many to walk; see `dependence_graph`."""
    nodes = network.topology.nodes
    if network.routing.settled is None and nodes > ENUMERATION_LIMIT:
        raise ConfigurationError(
            f"{network.name}: nodes must be at most {ENUMERATION_LIMIT} for --graphml, not {nodes}"
        )


def _add_places(document: Document, graph: ChannelGraph, ring: set[int]) -> None:
    routing, topology = graph.routing, graph.routing.topology
    for number, place in graph.places():
        after = topology.neighbours[place.router, place.port]
        attributes = {"kind": place.kind, "router": place.router, "class": place.vc_class}
        attributes |= {
            "label": topology.router_label(place.router),
            "port": topology.ports[place.port],
        }
        attributes["to"] = after if place.kind == "channel" else None
        attributes["in_cycle"] = number in ring
        bases = {_first(routing, place, lane): None for lane in range(routing.lanes)}
        for base in bases:
            document.add_vertex(
                _name(place, base), attributes | {"virtual_channel": base + place.vc_class}
            )


def _first(routing: RoutingRule, place: Place, lane: int) -> int:
    """Virtual channel of class 0 in a lane; stores are in the first of a class of traffic."""
    if place.kind == "store":
        share = routing.lanes // routing.topology.traffic_classes
        lane = lane // share * share
    return lane * routing.classes


def _name(place: Place, base: int) -> str:
    return f"{place.kind}_{place.router}_{place.port}_{base + place.vc_class}"


FORMATS: dict[str, Callable[[Network], str]] = {
    "anynet": anynet,
    "graphml": graphml,
    "node_link": node_link,
    "edges": edges,
}
"""Texts of a topology's files by the name of their format."""

__all__ = ["FORMATS", "dependence_graph", "require_enumerable"]
