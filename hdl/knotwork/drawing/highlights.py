"""Links of a drawing, and the ways over them: of a packet, a multicast's rounds, a broadcast."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..broadcasts import own_broadcast
from ..network import Network
from ..routing.multicast import multicast_rounds
from ..routing.rules import Hop
from ..routing.walks.broadcasts import broadcast_tree
from ..topology import Topology
from ..wording import counted

SOURCE, DESTINATION, PASSED = "source", "destination", "passed"


def has_node_boxes(topology: Topology) -> bool:
    """Whether the nodes have links, and so boxes, of their own: where routers are not nodes."""
    return bool((topology.attached >= 0).any())


def box_of(topology: Topology, node: int) -> int:
    """Box of a node: its router's, or one of its own, which are numbered after the routers'."""
    return topology.routers + node if has_node_boxes(topology) else topology.router_of(node)


@dataclass(frozen=True)
class Link:
    """Link as it is drawn.

    Members
    -------
    ends : (int, int)
        The two boxes: routers, or a router and a node.
    ports : (int, int)
        Port at each end; a node's links are numbered from 0.
    port : int
        Port that names it: the lower; a router's if it leads to a node.
    kind : int
        Kind that colours it (`Topology.link_kinds`); 0 if it leads to a node.
    marked : bool
        Whether it is of the special kind.
    """

    ends: tuple[int, int]
    ports: tuple[int, int]
    port: int
    kind: int
    marked: bool


def links_of(topology: Topology) -> list[Link]:
    """Every link between routers once, from its lower router; then those to nodes.

    One that leads one way only from the router that sends.
    """
    neighbours, peers = topology.neighbours, topology.peer_ports
    links = []
    for router, port in np.argwhere(neighbours >= 0).tolist():
        far, far_port = int(neighbours[router, port]), int(peers[router, port])
        if topology.is_one_way or (router, port) < (far, far_port):
            marked = topology.is_link_marked(router, port)
            ports, kind = (port, far_port), topology.link_kind(router, port)
            links.append(Link((router, far), ports, min(ports), kind, marked))
    used: Counter[int] = Counter()
    for router, port in np.argwhere(topology.attached >= 0).tolist():
        node = int(topology.attached[router, port])
        ends, ports = (router, topology.routers + node), (port, used[node])
        links.append(Link(ends, ports, port, kind=0, marked=False))
        used[node] += 1
    return links


@dataclass(frozen=True)
class Arrow:
    """Arrow over one channel.

    Members
    -------
    router, port : int
        Where the channel begins: a router's box, or a node's.
    after : int
        Box at its end.
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
        `SOURCE`, `DESTINATION` or `PASSED` for each box that has a part.
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
    """Way of one packet: hops numbered, with their virtual channels.

    Where routers are not nodes, the links to its nodes are counted and numbered with the others.
    """
    label = network.topology.label
    hops = network.routing.hops(source, destination)
    steps = [(hop, after.router) for hop, after in pairwise(hops)]
    ends = box_of(network.topology, source), box_of(network.topology, destination)
    parts = {hop.router: PASSED for hop in hops} | {ends[1]: DESTINATION, ends[0]: SOURCE}
    title = f"route {label(source)} to {label(destination)}"
    if has_node_boxes(network.topology):
        first = np.argwhere(network.topology.attached == source)[:, 0].tolist()
        steps = [(Hop(ends[0], first.index(hops[0].router), 0), hops[0].router), *steps]
        steps.append((hops[-1], ends[1]))
        arrows = tuple(
            Arrow(hop.router, hop.port, after, f"{number}")
            for number, (hop, after) in enumerate(steps, start=1)
        )
        legend = SOURCE, DESTINATION, PASSED
        return Ways(f"{title}: {counted(len(arrows), 'link')}", arrows, parts, "link", legend)
    arrows = tuple(
        Arrow(hop.router, hop.port, after, f"{number}·vc{hop.virtual_channel}")
        for number, (hop, after) in enumerate(steps, start=1)
    )
    return Ways(f"{title}: {counted(len(arrows), 'hop')}", arrows, parts, "hop·virtual channel")


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


def ways_of_broadcast(network: Network, source: int) -> Ways:
    """Tree of a broadcast by the network's own rule, with the steps of its copies.

    Raises
    ------
    ConfigurationError
        A network whose routers do not branch.
    """
    topology, label = network.topology, network.topology.label
    rule = own_broadcast(network).rule
    tree = broadcast_tree(topology, rule, network.routing.parameters, source)
    reached = [node for node in np.argsort(tree.arrival, kind="stable").tolist() if node != source]
    arrows = []
    for node in reached:
        parent, step = int(tree.parent[node]), int(tree.arrival[node])
        port = int(np.argmax(topology.neighbours[parent] == node))
        says = f"step {step}: {label(parent)} to {label(node)}"
        arrows.append(Arrow(parent, port, node, badge=f"{step}", says=says))
    parts = dict.fromkeys(reached, DESTINATION) | {source: SOURCE}
    nodes, steps = counted(len(reached), "node"), counted(int(tree.arrival.max()), "step")
    title = f"broadcast from {label(source)} to {nodes}: {steps}"
    return Ways(title, tuple(arrows), parts, "step")
