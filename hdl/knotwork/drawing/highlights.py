"""What a drawing highlights: a path, a multicast, a broadcast, or a step of a schedule."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..broadcasts import router_broadcast
from ..errors import ConfigurationError
from ..network import Network
from ..routing.multicast import XOR, multicast_rounds
from ..routing.rules import Hop
from ..routing.scheduling.schedule import Frame, PacketMove
from ..routing.walks.broadcasts import broadcast_tree
from ..topology import Topology
from ..wording import plural
from .boxes import box_of, has_node_boxes, nodes_at_ports

SOURCE, DESTINATION, PASSED = "source", "destination", "passed"
CENTRE, MEMBER = "centre", "member"
"""Parts that a box can have in what is highlighted."""


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
        Text beside it; empty for none.
    tooltip : str
        Text shown when it is pointed at; empty for none.
    colour : int or None
        Kind of links whose colour it has; None for that of its link.
    """

    router: int
    port: int
    after: int
    badge: str
    tooltip: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class Highlight:
    """Arrows over a network, and the boxes that have a part in them.

    Members
    -------
    title : str
        What they show.
    arrows : tuple of Arrow
        One per channel, in the order of their drawing.
    parts : dict of int to str
        `SOURCE`, `DESTINATION`, `PASSED`, `CENTRE` or `MEMBER` for each box that has a part.
    badges : str
        What the badges mean; empty where there are none.
    legend : tuple of str
        Parts that the legend explains.
    is_plain : bool
        Whether links have no colours of their kinds, because arrows have their own.
    """

    title: str
    arrows: tuple[Arrow, ...]
    parts: dict[int, str]
    badges: str
    legend: tuple[str, ...] = (SOURCE, DESTINATION)
    is_plain: bool = False


def highlight_route(network: Network, source: int, destination: int) -> Highlight:
    """Path of one packet: hops numbered, with their virtual channels.

    Where routers are not nodes, the links to its two nodes are counted and numbered too.
    """
    label = network.topology.label
    hops = network.routing.hops(source, destination)
    steps = [(hop, after.router) for hop, after in pairwise(hops)]
    ends = box_of(network.topology, source), box_of(network.topology, destination)
    parts = {hop.router: PASSED for hop in hops} | {ends[1]: DESTINATION, ends[0]: SOURCE}
    title = f"route {label(source)} to {label(destination)}"
    if has_node_boxes(network.topology):
        first = np.argwhere(nodes_at_ports(network.topology) == source)[:, 0].tolist()
        steps = [(Hop(ends[0], first.index(hops[0].router), 0), hops[0].router), *steps]
        steps.append((hops[-1], ends[1]))
        arrows = tuple(
            Arrow(hop.router, hop.port, after, f"{number}")
            for number, (hop, after) in enumerate(steps, start=1)
        )
        legend = SOURCE, DESTINATION, PASSED
        return Highlight(f"{title}: {plural(len(arrows), 'link')}", arrows, parts, "link", legend)
    arrows = tuple(
        Arrow(hop.router, hop.port, after, f"{number}·vc{hop.virtual_channel}")
        for number, (hop, after) in enumerate(steps, start=1)
    )
    return Highlight(f"{title}: {plural(len(arrows), 'hop')}", arrows, parts, "hop·virtual channel")


def highlight_multicast(
    network: Network, source: int, members: Collection[int], order: str = XOR
) -> Highlight:
    """Paths of all packets of a multicast, with the numbers of their rounds.

    Raises
    ------
    ConfigurationError
        A multicast that cannot be.
    """
    label = network.topology.label
    rounds = multicast_rounds(network.routing, source, members, order)
    parts: dict[int, str] = {}
    crossings: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    for number, sends in enumerate(rounds, start=1):
        for send in sends:
            hops = network.routing.hops(send.source, send.destination)
            parts |= {hop.router: PASSED for hop in hops}
            text = f"round {number}: {label(send.source)} to {label(send.destination)}"
            for hop, after in pairwise(hops):
                channel = hop.router, hop.port, after.router
                crossings.setdefault(channel, []).append((number, text))
    topology = network.topology
    parts |= {box_of(topology, node): DESTINATION for node in members}
    parts[box_of(topology, source)] = SOURCE
    arrows = _crossed(crossings)
    nodes, count = plural(len(members), "node"), plural(len(rounds), "round")
    title = f"multicast from {label(source)} to {nodes}: {count}"
    title += "" if order == XOR else f", order={order}"
    legend = (SOURCE, DESTINATION, PASSED) if PASSED in parts.values() else (SOURCE, DESTINATION)
    return Highlight(title, arrows, parts, "round", legend)


def highlight_messages(network: Network, pairs: Sequence[tuple[int, int]]) -> Highlight:
    """Paths of packets, with their numbers from 1 at each channel."""
    topology, label = network.topology, network.topology.label
    parts: dict[int, str] = {}
    crossings: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    for number, (source, destination) in enumerate(pairs, start=1):
        hops = network.routing.hops(source, destination)
        parts = {hop.router: PASSED for hop in hops} | parts
        text = f"message {number}: {label(source)} to {label(destination)}"
        for hop, after in pairwise(hops):
            channel = hop.router, hop.port, after.router
            crossings.setdefault(channel, []).append((number, text))
    ends = {box_of(topology, end): DESTINATION for _, end in pairs}
    parts |= ends | {box_of(topology, source): SOURCE for source, _ in pairs}
    title = f"paths of {plural(len(pairs), 'message')}"
    legend = tuple(part for part in (SOURCE, DESTINATION, PASSED) if part in parts.values())
    return Highlight(title, _crossed(crossings), parts, "message", legend)


def _crossed(crossings: Mapping[tuple[int, int, int], list[tuple[int, str]]]) -> tuple[Arrow, ...]:
    """Arrow over each channel with the numbers of the packets that cross it."""
    return tuple(
        Arrow(
            *channel,
            badge=",".join(str(number) for number, _ in packets),
            tooltip="; ".join(text for _, text in packets),
        )
        for channel, packets in crossings.items()
    )


def highlight_broadcast(network: Network, source: int) -> Highlight:
    """Tree of a broadcast by the network's own rule, with the steps and labels of its copies.

    Raises
    ------
    ConfigurationError
        A network whose routers do not branch.
    """
    topology, label = network.topology, network.topology.label
    broadcast = router_broadcast(network)
    tree = broadcast_tree(topology, broadcast.rule, network.routing.parameters, source)
    reached = [node for node in np.argsort(tree.arrival, kind="stable").tolist() if node != source]
    reached = [node for node in reached if tree.arrival[node] >= 0]
    arrows: dict[int, Arrow] = {}  # a router with several nodes has one
    for node in reached:
        step, router = int(tree.arrival[node]), topology.router_of(node)
        before, port = int(tree.routers[router]), int(tree.ports[router])
        if router in arrows or before < 0:
            continue
        text = f"step {step}: {label(int(tree.parent[node]))} to {label(node)}"
        badge = f"{step}"
        if broadcast.text is not None:
            badge += f"·{broadcast.text(int(tree.label[node]))}"
        arrows[router] = Arrow(before, port, router, badge=badge, tooltip=text)
    parts = dict.fromkeys(map(topology.router_of, [source, *reached]), PASSED)
    parts |= {box_of(topology, node): DESTINATION for node in reached}
    parts[box_of(topology, source)] = SOURCE
    nodes, steps = plural(len(reached), "node"), plural(int(tree.arrival.max()), "step")
    title = f"broadcast from {label(source)} to {nodes}: {steps}"
    badges = "step" if broadcast.text is None else "step·label"
    legend = tuple(part for part in (SOURCE, DESTINATION, PASSED) if part in parts.values())
    return Highlight(title, tuple(arrows.values()), parts, badges, legend)


def highlight_collectives(network: Network, number: int) -> Highlight:
    """Tree of a group that has collectives: each arrow with the places of the members behind it.

    Parameters
    ----------
    network : Network
        With collectives.
    number : int
        Which group.

    Raises
    ------
    ConfigurationError
        A network without collectives, or without that group.
    """
    groups, topology = network.collective_groups, network.topology
    if not groups:
        raise ConfigurationError(
            f"{network.name}: collectives must be yes for a tree to be drawn, not no"
        )
    if number >= len(groups):
        raise ConfigurationError(
            f"{network.name}: a group must be one of 0..{len(groups) - 1}, not {number}"
        )
    name, tree = groups[number].name, groups[number].tree
    place = {node: index for index, node in enumerate(tree.order)}
    apart = has_node_boxes(topology)
    arrows: list[Arrow] = []
    for router in tree.routers:
        for branch in router.branches:
            first, last = place[branch.members[0]], place[branch.members[-1]]
            badge = f"{first}" if first == last else f"{first}-{last}"
            text = f"{plural(len(branch.members), 'member')} below"
            if branch.child is not None:
                ends = tree.routers[branch.child].router, router.router
                arrows.append(_between(topology, *ends, badge, text))
            elif apart:
                above = np.argwhere(nodes_at_ports(topology) == branch.members[0])[:, 0].tolist()
                box, port = box_of(topology, branch.members[0]), above.index(router.router)
                arrows.append(Arrow(box, port, router.router, badge, text))
    parts = dict.fromkeys((router.router for router in tree.routers), PASSED)
    parts |= {box_of(topology, node): MEMBER for node in tree.members}
    parts[tree.centre] = CENTRE
    title = f"{name}: tree of {plural(len(tree.members), 'member')}, depth {tree.depth}"
    legend = tuple(part for part in (CENTRE, MEMBER, PASSED) if part in parts.values())
    badges = "places behind it in the tree's order"
    return Highlight(title, tuple(arrows), parts, badges, legend)


def _between(topology: Topology, child: int, parent: int, badge: str, text: str) -> Arrow:
    """Arrow from a router of a tree to its parent; a link of the other way alone has its own."""
    ports = np.nonzero(topology.neighbours[child] == parent)[0]
    if ports.size:
        return Arrow(child, int(ports[0]), parent, badge, text)
    port = int(np.nonzero(topology.neighbours[parent] == child)[0][0])
    return Arrow(parent, port, child, badge, text)


def highlight_steps(topology: Topology, frames: Iterable[Frame]) -> list[Highlight]:
    """Highlight of each frame: an arrow for each hop of a packet, in a colour of its own.

    The last arrow of a circuit bears its source, that of a packet in a batch its destination. Boxes
    of nodes are filled where they send, and where they have what is meant for them.
    """
    label, apart = topology.label, has_node_boxes(topology)
    made = []
    for frame in frames:
        arrows = []
        for place, move in enumerate(frame.moves):
            badge = label(move.source if apart else move.destination)
            text = f"{label(move.source)} to {label(move.destination)}"
            own_colour = place if apart else move.source  # a packet keeps its colour in all steps
            hops = _hops(topology, move)
            for number, (box, port, after) in enumerate(hops, start=1):
                arrow_text = badge if number == len(hops) else ""
                arrows.append(Arrow(box, port, after, arrow_text, text, colour=1 + own_colour))
        parts = {box_of(topology, move.source): SOURCE for move in frame.moves} if apart else {}
        parts |= {box_of(topology, node): DESTINATION for node in frame.arrived}
        legend = (SOURCE, DESTINATION) if apart else (DESTINATION,)
        badges = "source of the circuit" if apart else "destination of the packet"
        made.append(Highlight(frame.caption, tuple(arrows), parts, badges, legend, is_plain=True))
    return made


def _hops(topology: Topology, move: PacketMove) -> list[tuple[int, int, int]]:
    """Box, port and next box of each hop; where nodes have boxes, from and to those of nodes."""
    routers = [router for router, _ in move.hops]
    if not has_node_boxes(topology):
        ends = [*routers[1:], move.end]
        return [(*hop, after) for hop, after in zip(move.hops, ends, strict=True)]
    source, destination = (box_of(topology, node) for node in (move.source, move.destination))
    above = (nodes_at_ports(topology) == move.source).any(axis=1).nonzero()[0].tolist()
    first = source, above.index(routers[0]), routers[0]
    ends = [*routers[1:], destination]
    return [first, *((*hop, after) for hop, after in zip(move.hops, ends, strict=True))]
