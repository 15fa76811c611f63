"""Channel dependence graph of a network as GraphML."""

from ...errors import ConfigurationError
from ...network import Network
from ...routing.deadlock import ENUMERATION_LIMIT
from ...routing.routing_rule import RoutingRule
from ...routing.walks.channel_graph import ChannelGraph, Place
from .graphml import Document, Keys

_KEYS = Keys(
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
    ``output_virtual_channel``. ``in_cycle`` marks the cycle that `check` tells. The graph itself
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
    document = Document(network.name, _KEYS, directed=True, facts=facts)
    if routing.settled is not None:
        return document.text()
    graph = ChannelGraph(routing, routing.walks)
    ring = graph.ring()
    cyclic = set(zip(ring, [*ring[1:], *ring[:1]], strict=True))
    _add_places(document, graph, set(ring))
    ports = network.topology.ports
    for edge in graph.edges():
        before, after = map(graph.place, edge)
        way = graph.way(before, after)
        told = {"router": way.router, "in_cycle": edge in cyclic}
        told |= {"input_port": ports[way.input_port], "output_port": ports[way.output_port]}
        for lane in range(routing.lanes):
            base = lane * routing.classes
            told["input_virtual_channel"] = base + way.input_class
            told["output_virtual_channel"] = base + way.output_class
            start, end = (_name(p, _first(routing, p, lane)) for p in (before, after))
            document.add_edge(start, end, told)
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
        told = {"kind": place.kind, "router": place.router, "class": place.vc_class}
        told |= {"label": topology.router_label(place.router), "port": topology.ports[place.port]}
        told["to"] = after if place.kind == "channel" else None
        told["in_cycle"] = number in ring
        bases = {_first(routing, place, lane): None for lane in range(routing.lanes)}
        for base in bases:
            document.add_vertex(
                _name(place, base), told | {"virtual_channel": base + place.vc_class}
            )


def _first(routing: RoutingRule, place: Place, lane: int) -> int:
    """Virtual channel of class 0 in a lane; stores are in the first of a class of traffic."""
    if place.kind == "store":
        share = routing.lanes // routing.topology.traffic_classes
        lane = lane // share * share
    return lane * routing.classes


def _name(place: Place, base: int) -> str:
    return f"{place.kind}_{place.router}_{place.port}_{base + place.vc_class}"
