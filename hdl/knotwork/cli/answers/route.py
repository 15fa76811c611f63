"""Answer of `route`: the path of one packet, or the next routers of all pairs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import ConfigurationError
from ...network import Network
from ...routing.rules import Hop
from ...routing.walks.paths import disjoint_paths
from ...wording import plural
from .. import output


@dataclass(frozen=True)
class Route:
    """Path of a packet, hop by hop.

    Members
    -------
    source, destination : int
        Nodes.
    hops : list of Hop
        Routers with the ports by which the packet leaves them, the ejection last.
    labels, ports : list of str
        Label of each router, and name of each port.
    more : mapping
        Further facts from the routing, by name.
    """

    source: int
    destination: int
    hops: list[Hop]
    labels: list[str]
    ports: list[str]
    more: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Path by the names that `route` promises; the ejection is no hop there."""
        return {
            "path": [hop.router for hop in self.hops],
            "labels": self.labels,
            "ports": self.ports[:-1],
            "virtual_channels": [hop.virtual_channel for hop in self.hops[:-1]],
            **self.more,
        }


def find_route(network: Network, source: int, destination: int) -> Route:
    """Path between two nodes by the network's routing."""
    topology = network.topology
    hops = network.routing.hops(source, destination)
    return Route(
        source,
        destination,
        hops,
        labels=[topology.router_label(hop.router) for hop in hops],
        ports=[topology.ports[hop.port] for hop in hops],
        more={**_drawn(network), **network.routing.pair_facts(source, destination)},
    )


def _drawn(network: Network) -> dict[str, object]:
    """Number that the source has drawn for the path shown, of how many, where there are several."""
    return {} if network.routing.draws == 1 else {"drawn": 0, "draws": network.routing.draws}


def print_route(network: Network, route: Route) -> None:
    """Print one row per router, and then what else the routing reports."""
    channels = [*(hop.virtual_channel for hop in route.hops[:-1]), "-"]
    rows = [
        (number, hop.router, label, port, channel)
        for number, (hop, label, port, channel) in enumerate(
            zip(route.hops, route.labels, route.ports, channels, strict=True)
        )
    ]
    title = f"{network.name}: {route.source} to {route.destination}, {len(rows) - 1} hops"
    output.table(title, ("hop", "router", "label", "output port", "virtual channel"), rows)
    if route.more:
        label = network.topology.label
        output.facts(f"{label(route.source)} to {label(route.destination)}", route.more)


def find_routes(network: Network, source: int) -> list[Route]:
    """Paths from a node to all that its packets can be sent to.

    Raises
    ------
    ConfigurationError
        More nodes than all pairs are walked for.
    """
    _require_walked(network, "the paths to all")
    return [find_route(network, source, node) for node in network.topology.receivers(source)]


def _require_walked(network: Network, purpose: str) -> None:
    nodes, limit = network.topology.nodes, network.routing.walk_limit
    if nodes > limit:
        raise ConfigurationError(
            f"{network.name}: nodes must be at most {limit} for {purpose}, not {nodes}"
        )


def print_routes(network: Network, source: int, routes: list[Route]) -> None:
    """Print one row per destination, with what the routing says of each pair."""
    label = network.topology.label
    more = list(routes[0].more) if routes else []
    rows = [
        (
            route.destination,
            label(route.destination),
            len(route.hops) - 1,
            " ".join(route.labels),
            *(output.text(route.more[fact]) for fact in more),
        )
        for route in routes
    ]
    title = f"{network.name}: {label(source)} to all, {plural(len(rows), 'path')}"
    heads = ("node", "label", "hops", "routers", *(fact.replace("_", " ") for fact in more))
    output.table(title, heads, rows)


@dataclass(frozen=True)
class DisjointPaths:
    """Paths that share no router but their ends; the members have the names `route` promises.

    Members
    -------
    count : int
        Paths: as many as there are.
    hops : list of int
        Of each path, the shortest first; as few in all as so many paths can have.
    paths : list of list of int
        Routers of each.
    labels : list of list of str
        Their labels.
    """

    count: int
    hops: list[int]
    paths: list[list[int]]
    labels: list[list[str]]


def find_disjoint(network: Network, source: int, destination: int) -> DisjointPaths:
    """Most paths between the routers of two nodes that share no other router.

    Raises
    ------
    ConfigurationError
        The nodes have the same router.
    """
    topology = network.topology
    ends = topology.router_of(source), topology.router_of(destination)
    if ends[0] == ends[1]:
        raise ConfigurationError(
            f"{network.name}: the nodes must have different routers for --disjoint, not both "
            f"{topology.router_label(ends[0])}"
        )
    paths = disjoint_paths(topology.neighbours, *ends)
    labels = [[topology.router_label(router) for router in path] for path in paths]
    return DisjointPaths(len(paths), [len(path) - 1 for path in paths], paths, labels)


def print_disjoint(network: Network, source: int, destination: int, found: DisjointPaths) -> None:
    """Print one row per path."""
    ends = " to ".join(map(network.topology.label, (source, destination)))
    title = f"{network.name}: {ends}, {plural(found.count, 'disjoint path')}"
    numbered = enumerate(zip(found.hops, found.labels, strict=True), 1)
    rows = [(number, hops, " ".join(labels)) for number, (hops, labels) in numbered]
    output.table(title, ("path", "hops", "routers"), rows)


def next_routers(network: Network) -> np.ndarray:
    """Next router of all pairs of nodes, (nodes, nodes), -1 on the diagonal.

    Raises
    ------
    ConfigurationError
        More nodes than all pairs are walked for, or packets whose source draws their path.
    """
    _require_walked(network, "--table")
    if network.routing.draws > 1:
        raise ConfigurationError(
            f"{network.name}: routing must give all packets of two nodes one path for --table, not "
            f"{network.routing.name}"
        )
    return network.routing.first_hops()
