"""Picture of a network, for the page to light up.

A small one is its drawing as it is. Of a large one, which a page could not move fluently, the
places of boxes and links are taken from the drawing, for the page to paint them on a canvas.
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from knotwork.drawing.boxes import has_node_boxes, nodes_at_ports
from knotwork.drawing.marks import kind_colour
from knotwork.drawing.svg import draw_network
from knotwork.network import Network

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
        for router, port in _ways(topology.neighbours)
    ]
    attached = []
    if has_node_boxes(topology):
        nodes = nodes_at_ports(topology)
        attached = [[router, port, int(nodes[router, port])] for router, port in _ways(nodes)]
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


def _ways(table) -> Iterator[tuple[int, int]]:
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
    told: Data = {"command": f"knotwork draw {words}"}
    topology = network.topology
    links = int((topology.neighbours >= 0).sum()) // (1 if topology.is_one_way else 2)
    if topology.routers + topology.nodes + links <= MOST_ELEMENTS:
        return told | {"kind": "svg", "svg": _compact(text)}
    return told | {"kind": "places", **_places(text), "legend": _legend(network)}


def _compact(svg: str) -> str:
    """Drawing without the blanks between elements."""
    return re.sub(r">\s+<", "><", svg).strip()


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
