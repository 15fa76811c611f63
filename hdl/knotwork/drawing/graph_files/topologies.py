"""Topologies as files for other programs: BookSim 2, GraphML, node-link JSON, lists of edges."""

import json
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import ConfigurationError, ToolError
from ...extras import install_hint
from ...network import Network
from ...topology import Topology
from ..links import Link, has_node_boxes, links_of, nodes_at_ports
from .graphml import Document, Keys

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
