"""Answer of `route`: the path of one packet, or the next routers of all pairs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import ConfigurationError
from ...network import Network
from ...routing.rules import Hop
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
        more=network.routing.pair_facts(source, destination),
    )


def print_route(network: Network, route: Route) -> None:
    """Print one row per router, and then what the routing tells beside it."""
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


def next_routers(network: Network) -> np.ndarray:
    """Next router of all pairs of nodes, (nodes, nodes), -1 on the diagonal.

    Raises
    ------
    ConfigurationError
        More nodes than all pairs are walked for.
    """
    nodes, limit = network.topology.nodes, network.routing.walk_limit
    if nodes > limit:
        raise ConfigurationError(
            f"{network.name}: nodes must be at most {limit} for --table, not {nodes}"
        )
    return network.routing.first_hops()
