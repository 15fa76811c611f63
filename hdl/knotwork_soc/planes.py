"""Planes of a system: networks side by side, so that no kind of packet waits for another.

The deadlock check of a system adds to the planes' channels what requests wait for. A request holds
channels of its plane until its target takes it, and the target takes no more requests while it
cannot send a response. A response waits for nothing but channels of its own plane: the initiator
reserved space for it before it sent the request. A cycle would thus have to be within one plane.

References
----------
W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004, section
14.1.5 (protocol deadlock).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network, fit_name
from knotwork.parameters.collectives import NO_COLLECTIVES
from knotwork.routing import DeadlockReport
from knotwork.routing.deadlock import ENUMERATION_LIMIT
from knotwork.routing.walks.channel_graph import ChannelGraph

from .parameters import Node
from .payload import Payload

STREAMS, REQUESTS, RESPONSES = "streams", "requests", "responses"
"""Names of the planes: packets of streams; of buses, requests and their responses."""


@dataclass(frozen=True, kw_only=True)
class Plane:
    """A network of a system's packets of one kind.

    Members
    -------
    name : str
        ``streams``, ``requests`` or ``responses``.
    network : Network
        Its network, whose top module planes of equal widths share.
    is_alone : bool
        Whether it is the system's only plane.
    """

    name: str
    network: Network
    is_only: bool

    def outside(self, name: str) -> str:
        """Name in the system of what only the whole of a plane has: its monitor, its tables."""
        return name if self.is_only else f"{self.name}_{name}"


def planes_of(
    network: Network, nodes: Sequence[Node], payload: Payload, *, name: str
) -> tuple[Plane, ...]:
    """Planes that these nodes need.

    Parameters
    ----------
    network : Network
        Network of the system.
    nodes : sequence of Node
        Its nodes.
    payload : Payload
        What the data of flits of streams holds.
    name : str
        Name of the system's top module.

    Raises
    ------
    ConfigurationError
        More bits than a flit may have, a network that cannot carry a bus, or in which an initiator
        and a target may not send to each other.
    """
    if network.collective_groups:  # their trees stand beside the planes
        network = network.changed(**NO_COLLECTIVES)
    common = fit_name(f"{name}_network")
    found: list[Plane] = []
    has_buses = any(node.side for node in nodes)
    width = network.hardware.data_width
    if any(node.is_stream for node in nodes):
        module = common
        if has_buses and payload.width != width:
            module = fit_name(f"{name}_streams")
        streams = _widened(network, payload, module)
        found.append(Plane(name=STREAMS, network=streams, is_only=not has_buses))
    if has_buses:
        _require_carried(network)
        _require_reached(network, nodes)
        inner = network.changed(name=common)
        if found and found[0].network.name == common:
            inner = found[0].network
        found += [Plane(name=each, network=inner, is_only=False) for each in (REQUESTS, RESPONSES)]
    return tuple(found)


def _widened(network: Network, payload: Payload, name: str) -> Network:
    kind = network.hardware.keys()["data_width"].metadata["kind"]
    if not kind.accepts(payload.width):
        beside = payload.width - payload.data_width
        raise ConfigurationError(
            f"system: data_width, tkeep and user_width must take at most {kind.high} bits of a "
            f"flit, not {payload.data_width} + {beside}"
        )
    return network.changed(name=name, data_width=payload.width)


def _require_carried(network: Network) -> None:
    """Refuse networks that keep no order, have a longest packet, or must be set up first."""
    owner, routing = network.topology.name, network.routing
    if not routing.in_order:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have a network that keeps packets in order, not "
            f"routing={routing.name}, router={network.router_class}"
        )
    if routing.settled is not None or network.longest_packet is not None:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have packet routers, not {network.router_class}"
        )
    if network.loads_tables:
        raise ConfigurationError(
            f"{owner}: a memory-mapped bus must have tables=fixed, not tables=loaded"
        )


def _require_reached(network: Network, nodes: Sequence[Node]) -> None:
    """Refuse an initiator and a target one of which may not send to the other.

    A network whose routers do not all reach each other is refused before any system is made of it.
    """
    topology = network.topology
    initiators = np.array([node.index for node in nodes if node.is_initiator])
    targets = np.array([node.index for node in nodes if node.is_target])
    pairs = initiators[:, None], targets[None, :]
    apart = ~(topology.may_send(*pairs) & topology.may_send(*pairs[::-1]))
    if not apart.any():
        return
    initiator, target = (
        int(numbers[place])
        for numbers, place in zip((initiators, targets), np.argwhere(apart)[0], strict=True)
    )
    receivers = topology.receivers(initiator)
    where = f"with classes={topology.traffic_classes}" if topology.traffic_classes > 1 else "here"
    raise ConfigurationError(
        f"node {target}: a target must be one to which initiator node {initiator} may send, in "
        f"{receivers[0]}..{receivers[-1]} {where}, not {target}"
    )


Vertex = tuple[object, ...]
"""Channel of a plane, or an end of a packet's path at a node."""
Edge = tuple[Vertex, Vertex]


def check_system(
    planes: Sequence[Plane], initiators: Sequence[int], targets: Sequence[int]
) -> DeadlockReport:
    """Decide whether a system can deadlock, by its networks' channels or by its protocol.

    Parameters
    ----------
    planes : sequence of Plane
        Networks of its packets.
    initiators, targets : sequence of int
        Nodes that send requests, and nodes that send responses.
    """
    reports = {plane.name: plane.network.deadlock_report for plane in planes}
    total = next(iter(reports.values()))
    total = replace(
        total,
        channels=sum(report.channels for report in reports.values()),
        dependencies=sum(report.dependencies for report in reports.values()),
    )
    for name, report in reports.items():
        if not report.deadlock_free:
            reason = report.reason if len(reports) == 1 else f"plane {name}: {report.reason}"
            return replace(
                total,
                deadlock_free=False,
                cycle=report.cycle,
                reason=reason,
                virtual_channels=report.virtual_channels,
            )
    if REQUESTS not in reports:
        return total
    networks = {plane.name: plane.network for plane in planes}
    requests, responses = networks[REQUESTS], networks[RESPONSES]
    if requests.topology.nodes > ENUMERATION_LIMIT:
        reason = "each plane is free of rings, and requests wait for responses, not these for them"
        return replace(total, reason=f"{total.reason}; {reason}")
    waits = response_waits(requests, responses, initiators, targets)
    ring = ring_of({REQUESTS: requests, RESPONSES: responses}, waits)
    waiting = f"with {len(waits)} edges from requests to the responses that they wait for"
    what = f"the planes' channel dependence graphs, {waiting},"
    return replace(
        total,
        deadlock_free=not ring,
        dependencies=total.dependencies + len(waits),
        reason=f"{what} " + (f"have a cycle of {len(ring)} places" if ring else "are acyclic"),
    )


def response_waits(
    requests: Network,
    responses: Network,
    initiators: Sequence[int],
    targets: Sequence[int],
    *,
    planes: tuple[str, str] = (REQUESTS, RESPONSES),
    reserved: bool = True,
) -> list[Edge]:
    """Edges of requests that wait for responses, at every target and every initiator.

    At a target, each channel that arrives at its router waits for the ejection of requests, that
    for the injection of a response, and that for each channel that leaves the router. At an
    initiator it is the other way round, but that the ejection of responses waits for nothing.

    Parameters
    ----------
    requests, responses : Network
        Networks of the two.
    initiators, targets : sequence of int
        Nodes.
    planes : pair of str
        Names of the two planes; the same name twice for one plane that both share.
    reserved : bool
        Whether initiators keep a place for each response. If not, its ejection waits for the
        initiator, which may itself wait to send a request.
    """
    forth, back = planes
    edges: list[Edge] = []
    for nodes, into, out, there, here in (
        (targets, requests, responses, forth, back),
        (initiators, responses, requests, back, forth),
    ):
        arrivals, departures = _graph(into), _graph(out)
        for node in nodes:
            eject, inject = (there, "eject", node), (here, "inject", node)
            router = int(into.topology.node_ports_table[0, node])
            edges += [((there, "channel", each), eject) for each in arrivals.ends(router)[0]]
            edges += [(inject, (here, "channel", each)) for each in departures.ends(router)[1]]
            if nodes is targets or not reserved:
                edges.append((eject, inject))
    place = requests.topology.node_ports_table[0]
    for initiator in initiators:  # those of one router need no link
        for target in (each for each in targets if place[each] == place[initiator]):
            edges.append(((forth, "inject", initiator), (forth, "eject", target)))
            edges.append(((back, "inject", target), (back, "eject", initiator)))
    return edges


def _graph(network: Network) -> ChannelGraph:
    return ChannelGraph(network.routing, network.routing.walks)


def ring_of(planes: Mapping[str, Network], waits: Sequence[Edge]) -> list[Vertex]:
    """Places of one ring in the planes' channel graphs with further edges; empty without one.

    Parameters
    ----------
    planes : mapping of str to Network
        Networks by the name of their plane; one of several names is one plane.
    waits : sequence of pairs
        Edges of a plane's channels and ends, and between planes.
    """
    import rustworkx as rx

    edges = list(waits)
    for name, network in planes.items():
        edges += [
            ((name, "channel", held), (name, "channel", wanted))
            for held, wanted in _graph(network).examined_edges()
        ]
    numbers: dict[Vertex, int] = {}
    pairs = [
        (numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))) for a, b in edges
    ]
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(len(numbers)))
    graph.add_edges_from_no_data(pairs)
    if rx.is_directed_acyclic_graph(graph):
        return []
    places = list(numbers)
    return [places[number] for number, _ in rx.digraph_find_cycle(graph)]
