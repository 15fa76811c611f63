"""Networks and topologies as graphs of NetworkX."""

from importlib import import_module
from typing import Any

from ...errors import ToolError
from ...extras import install_hint
from ...network import Network
from ...topology import Topology
from .topologies import edges_of, known, vertices_of


def networkx_graph(shown: Network | Topology) -> Any:
    """Graph of a network or a topology; see `pictures.Pictured.to_networkx`."""
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
