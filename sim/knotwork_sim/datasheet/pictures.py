"""Pictures of a network, for the page to light up: its drawing, and what it carries out in steps.

A small drawing is on the page as it is. Of a large one, which a page could not move fluently, the
positions of boxes and links are taken from the drawing, for the page to paint them on a canvas.

An animation has frames. A frame is what happens at once: a caption, the paths of packets (source,
destination, and the links that they cross as router and output port in turn), and the nodes that
have what they wait for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from xml.etree import ElementTree as ET

from knotwork.broadcasts import named_broadcast
from knotwork.cli.answers.broadcast import find_broadcast
from knotwork.cli.answers.messages import delivery, scheduling_routing
from knotwork.cli.answers.multicast import find_multicast
from knotwork.cli.message_options import MessageRequest
from knotwork.drawing.boxes import has_node_boxes, nodes_at_ports
from knotwork.drawing.marks import kind_colour
from knotwork.drawing.svg import draw_network
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.multicast import ORDERS
from knotwork.routing.scheduling.messages import NAMES
from knotwork.routing.scheduling.schedule import PacketMove
from knotwork.wording import plural

from .tables import Data

MOST_ELEMENTS = 700
"""Boxes and links up to which the drawing itself is on the page."""
_SPACE = "{http://www.w3.org/2000/svg}"


def graph(network: Network) -> Data:
    """Labels, ports and links: what a page needs to follow packets.

    A link is a router, its output port, and the router and input port at the other end; a node's
    link is its router, the port, and the node.
    """
    topology = network.topology
    links = [
        [
            router,
            port,
            int(topology.neighbours[router, port]),
            int(topology.peer_ports[router, port]),
        ]
        for router, port in _connected_ports(topology.neighbours)
    ]
    attached = []
    if has_node_boxes(topology):
        nodes = nodes_at_ports(topology)
        attached = [
            [router, port, int(nodes[router, port])] for router, port in _connected_ports(nodes)
        ]
    return {
        "nodes": list(map(topology.label, range(topology.nodes))),
        "routers": list(map(topology.router_label, range(topology.routers))),
        "places": topology.node_ports_table[0].tolist(),
        "starts": topology.node_ports_table[1].tolist(),
        "ports": list(topology.ports),
        "local": topology.local_ports,
        "links": links,
        "attached": attached,
        "oneWay": topology.is_one_way,
        "sides": len(topology.sides),
    }


def _connected_ports(table) -> Iterator[tuple[int, int]]:
    """Routers and ports at which a table has an entry."""
    return ((int(router), int(port)) for router, port in zip(*(table >= 0).nonzero(), strict=True))


def drawing(network: Network, words: str) -> Data:
    """Drawing of the network.

    Raises
    ------
    ConfigurationError
        The network is too large to be drawn.
    """
    text = draw_network(network)
    answer: Data = {"command": f"knotwork draw {words}"}
    topology = network.topology
    links = int((topology.neighbours >= 0).sum()) // (1 if topology.is_one_way else 2)
    if topology.routers + topology.nodes + links <= MOST_ELEMENTS:
        compact = re.sub(r">\s+<", "><", text).strip()  # no blanks between elements
        return answer | {"kind": "svg", "svg": compact}
    return answer | {"kind": "places", **_places(text), "legend": _legend(network)}


def _legend(network: Network) -> list[list[str]]:
    """Colours of the kinds of links, and what they are."""
    kinds = network.topology.link_kinds[1:]
    return [[kind_colour(number), str(kind)] for number, kind in enumerate(kinds, start=1)]


def _places(svg: str) -> Data:
    """Size of a drawing, its boxes and its links.

    A box is its element's name, left, top, width, height and what stands in it; a link its name,
    path, colour, and whether it is marked.
    """
    root = ET.fromstring(svg)
    boxes, links = [], []
    for group in root.iter(f"{_SPACE}g"):
        colour = group.get("stroke", "")
        for path in group.findall(f"{_SPACE}path"):
            if path.get("id", "").startswith("link-"):
                marked = int("stroke-dasharray" in path.attrib)
                links.append([path.get("id"), path.get("d"), colour, marked])
        box = group.find(f"{_SPACE}rect")
        if box is not None and (group.get("id") or box.get("id")):
            name = group.get("id") or box.get("id")
            sizes = [float(box.get(side, 0)) for side in ("x", "y", "width", "height")]
            lines = [text.text or "" for text in group.findall(f"{_SPACE}text")]
            boxes.append([name, *sizes, "\n".join(lines)])
    return {"size": root.get("viewBox", "").split(), "boxes": boxes, "lines": links}


MOST_NODES = 256
"""Nodes up to which animations are on the page."""
MOST_TREES = 64
"""Nodes up to which there is a broadcast from every node."""
MEMBERS = 8
"""Destinations of the multicast that is shown, at most."""
MOST_PATHS = 20_000
"""Paths of a schedule that is shown, at most."""


def animations(network: Network, words: str) -> list[Data]:
    """All that the network carries out in steps, of schedules the longest first.

    There are none for a large network.
    """
    if network.topology.nodes > MOST_NODES:
        return []
    trees = _possible(lambda: broadcast(network, words), lambda: multicast(network, words))
    schedules = _possible(*(partial(schedule, network, words, name) for name in NAMES))
    return trees + sorted(schedules, key=_step_count, reverse=True)


def _step_count(animation: Data) -> int:
    frames = animation["frames"]
    assert isinstance(frames, list)
    return len(frames)


def _possible(*makers: Callable[[], Data | None]) -> list[Data]:
    """Those that the network, with its number of nodes, has."""
    found = []
    for make in makers:
        with suppress(ConfigurationError):
            found.append(make())
    return [animation for animation in found if animation is not None]


def broadcast(network: Network, words: str) -> Data:
    """Trees of broadcasts, by source: parent of each node, and the step of its copy."""
    topology = network.topology
    chosen = named_broadcast(network, None, 0)
    sources = range(topology.nodes if topology.nodes <= MOST_TREES else 1)
    trees = {}
    for source in sources:
        tree = find_broadcast(network, chosen.name, source)
        ports = [
            -1 if parent is None else _port_to(network, parent, node)
            for node, parent in enumerate(tree.parent)
        ]
        trees[source] = {
            "parent": [-1 if parent is None else parent for parent in tree.parent],
            "port": ports,
            "arrival": [-1 if step is None else step for step in tree.arrival],
        }
    return {
        "title": f"broadcast, rule {chosen.name}",
        "command": f"knotwork broadcast {words}",
        "trees": trees,
    }


def _port_to(network: Network, router: int, neighbour: int) -> int:
    """First port of a router that leads to another."""
    return network.topology.neighbours[router].tolist().index(neighbour)


def multicast(network: Network, words: str) -> Data:
    """Rounds of a multicast from node 0 to nodes spread over the network."""
    nodes = network.topology.nodes
    count = min(MEMBERS, nodes - 1)
    members = sorted({1 + index * (nodes - 1) // count for index in range(count)})
    found = find_multicast(network, 0, members, next(iter(ORDERS)))
    frames, reached = [], {0}
    for number, packets in enumerate(found.rounds, start=1):
        reached |= {packet.destination for packet in packets}
        paths = [
            [packet.source, packet.destination, _hops(network, packet.source, packet.destination)]
            for packet in packets
        ]
        caption = f"round {number}: {plural(len(packets), 'packet')}"
        frames.append([caption, paths, sorted(reached)])
    listed = " ".join(map(str, members))
    return {
        "title": f"multicast from 0 to {plural(len(members), 'node')}",
        "command": f"knotwork multicast {words} 0 {listed}",
        "frames": frames,
    }


def _hops(network: Network, source: int, destination: int) -> list[int]:
    """Links of a path: router and output port in turn."""
    hops = network.routing.hops(source, destination)[:-1]
    return [number for hop in hops for number in (hop.router, hop.port)]


def schedule(network: Network, words: str, name: str) -> Data | None:
    """Steps of the schedule of a named permutation; None where they are too many."""
    routing = scheduling_routing(network, "datasheet")
    request = MessageRequest(permutation=name, messages=None, matrix=None, complement=None, seed=1)
    wanted = delivery(request, routing, "datasheet")
    frames, paths = [], 0
    for frame in routing.frames(*wanted.messages):
        paths += len(frame.moves)
        if paths > MOST_PATHS:
            return None
        frames.append([frame.caption, list(_packet_paths(frame.moves)), sorted(frame.arrived)])
    return {
        "title": f"permutation {name}, {routing.name}: {plural(len(frames), 'step')}",
        "command": f"knotwork schedule {words} --permutation {name}",
        "frames": frames,
    }


def _packet_paths(moves: Iterable[PacketMove]) -> Iterator[list[object]]:
    """Paths as a frame has them."""
    for move in moves:
        links = [number for hop in move.hops for number in hop]
        yield [move.source, move.destination, links]
