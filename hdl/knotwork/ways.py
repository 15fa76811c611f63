"""Links of a drawing, and the ways over them: of one packet, or of a multicast's rounds."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .answers import counted
from .network import Network
from .routing.multicast import multicast_rounds
from .topology import Topology

SOURCE, DESTINATION, PASSED = "source", "destination", "passed"


@dataclass(frozen=True)
class Link:
    """Link as it is drawn: its two routers, their ports, and whether it is of the special kind."""

    ends: tuple[int, int]
    ports: tuple[int, int]
    marked: bool

    @property
    def port(self) -> int:
        """Port that colours it: the lower."""
        return min(self.ports)


def links_of(topology: Topology) -> list[Link]:
    """Every link once, from its lower router."""
    neighbours, peers = topology.neighbours, topology.peer_ports
    links = []
    for router, port in np.argwhere(neighbours >= 0).tolist():
        far, far_port = int(neighbours[router, port]), int(peers[router, port])
        if (router, port) < (far, far_port):
            marked = topology.is_link_marked(router, port)
            links.append(Link((router, far), (port, far_port), marked))
    return links


@dataclass(frozen=True)
class Arrow:
    """Arrow over one channel.

    Members
    -------
    router, port : int
        Where the channel begins.
    after : int
        Router at its end.
    badge : str
        What stands beside it.
    says : str
        What it tells who points at it; empty for nothing.
    """

    router: int
    port: int
    after: int
    badge: str
    says: str = ""


@dataclass(frozen=True)
class Ways:
    """Arrows over a network.

    Members
    -------
    title : str
        What they show.
    arrows : tuple of Arrow
        In the order of their drawing, one for a channel.
    parts : dict of int to str
        `SOURCE`, `DESTINATION` or `PASSED` for each router that has a part.
    badges : str
        What the badges mean.
    legend : tuple of str
        Parts that the legend explains.
    """

    title: str
    arrows: tuple[Arrow, ...]
    parts: dict[int, str]
    badges: str
    legend: tuple[str, ...] = (SOURCE, DESTINATION)


def way_of_packet(network: Network, source: int, destination: int) -> Ways:
    """Way of one packet: hops numbered, with their virtual channels."""
    label = network.topology.label
    hops = network.routing.hops(source, destination)
    arrows = tuple(
        Arrow(hop.router, hop.port, after.router, f"{number}·vc{hop.virtual_channel}")
        for number, (hop, after) in enumerate(pairwise(hops), start=1)
    )
    parts = {hop.router: PASSED for hop in hops}
    parts |= {hops[-1].router: DESTINATION, hops[0].router: SOURCE}
    title = f"route {label(source)} to {label(destination)}: {counted(len(arrows), 'hop')}"
    return Ways(title, arrows, parts, "hop·virtual channel")


def ways_of_multicast(network: Network, source: int, members: Collection[int]) -> Ways:
    """Ways of all packets of a multicast, with the numbers of their rounds.

    Raises
    ------
    ConfigurationError
        A multicast that cannot be.
    """
    label = network.topology.label
    rounds = multicast_rounds(network.routing, source, members)
    parts: dict[int, str] = {}
    crossings: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    for number, sends in enumerate(rounds, start=1):
        for send in sends:
            hops = network.routing.hops(send.source, send.destination)
            parts |= {hop.router: PASSED for hop in hops}
            says = f"round {number}: {label(send.source)} to {label(send.destination)}"
            for hop, after in pairwise(hops):
                channel = hop.router, hop.port, after.router
                crossings.setdefault(channel, []).append((number, says))
    parts |= dict.fromkeys(members, DESTINATION) | {source: SOURCE}
    arrows = tuple(
        Arrow(
            *channel,
            badge=",".join(str(number) for number, _ in packets),
            says="; ".join(says for _, says in packets),
        )
        for channel, packets in crossings.items()
    )
    nodes, count = counted(len(members), "node"), counted(len(rounds), "round")
    title = f"multicast from {label(source)} to {nodes}: {count}"
    legend = (SOURCE, DESTINATION, PASSED) if PASSED in parts.values() else (SOURCE, DESTINATION)
    return Ways(title, arrows, parts, "round", legend)
