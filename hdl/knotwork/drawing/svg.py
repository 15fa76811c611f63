"""Drawings of networks: SVG with links coloured by kind, and what is highlighted over them."""

from collections.abc import Collection
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..parameters import spelled
from ..routing.multicast import XOR
from ..topology import Topology
from ..wording import counted
from .arrows import Arrows, arrow_head, draw_badges
from .boxes import Boxes
from .curve import Curve
from .highlights import Highlight, highlight_broadcast, highlight_multicast, highlight_route
from .legend import Legend
from .link_curves import link_curves
from .links import Link, has_node_boxes, links_of
from .style import (
    DASHES,
    FAINT,
    FONT,
    INK,
    MARGIN,
    MONO,
    NODE,
    PAPER,
    PART_FILLS,
    ROUTER,
    add_text,
    kind_colour,
)
from .trees import tree_of

ROUTER_LIMIT = 1024
"""Routers, and nodes where those are not the same, of the largest network that is drawn."""

_HEAD = 78  # pixels above the drawing, for the titles
_ROOM = 4.0  # between a box's rim and a link that passes, in pixels
_READABLE = 1000.0  # width in pixels from which the titles and the legend grow with the picture
_SPREADS = (1.0, 1.25, 1.5, 1.8, 2.2)  # tried in turn until no link passes under a box ...
_MOST_SPREAD = 256  # ... in drawings of so many boxes


def draw_network(
    network: Network,
    *,
    route: tuple[int, int] | None = None,
    multicast: tuple[int, Collection[int]] | None = None,
    order: str = XOR,
    broadcast: int | None = None,
    tree: int | None = None,
) -> str:
    """SVG of a network.

    Parameters
    ----------
    network : Network
        What to draw.
    route : (int, int), optional
        Source and destination of a packet whose path is shown: hops numbered, with their virtual
        channels.
    multicast : (int, collection of int), optional
        Instead, source and destinations of a multicast, shown with the numbers of its rounds.
    order : str
        Order of the multicast's chain, one of `routing.multicast.ORDERS`.
    broadcast : int, optional
        Instead, source of a broadcast, whose tree is shown with the steps of its copies.
    tree : int, optional
        Instead of the network itself, the tree of all paths from a node, a row per hop.

    Raises
    ------
    ConfigurationError
        More routers than a drawing can show; a multicast or broadcast that cannot be.
    """
    topology = network.topology
    apart = has_node_boxes(topology)
    boxes = topology.routers + topology.nodes * apart
    if boxes > ROUTER_LIMIT:
        what = "routers and nodes" if apart else "routers"
        raise ConfigurationError(
            f"{network.name}: {what} must be at most {ROUTER_LIMIT} to be drawn, not {boxes}"
        )
    shown = highlight_route(network, *route) if route else None
    if multicast:
        shown = highlight_multicast(network, *multicast, order)
    if broadcast is not None:
        shown = highlight_broadcast(network, broadcast)
    if tree is not None:
        drawn = tree_of(network, tree, limit=ROUTER_LIMIT)
        return _Picture(network, drawn.links, drawn.boxes, drawn.curves, drawn.shown).text()
    links = links_of(topology)
    return _Picture(network, links, *_laid_out(topology, links), shown).text()


class _Titles(NamedTuple):
    """Two lines above a picture."""

    network: str
    shown: str


class _Picture:
    """One picture in the making."""

    def __init__(
        self,
        network: Network,
        links: list[Link],
        boxes: Boxes,
        curves: list[Curve],
        shown: Highlight | None,
    ) -> None:
        self.network, self.topology, self.shown = network, network.topology, shown
        self.links, self.boxes, self.curves = links, boxes, curves
        arrows = shown.arrows if shown else ()
        self.arrows = Arrows(arrows, self.links, one_way=self.topology.is_one_way)
        self.root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg")

    def text(self) -> str:
        """Whole document."""
        titles, legend = self._titles(), Legend.of(self.topology, self.links, self.shown)
        low, high = self._bounds()
        letters = max(1.0, (high - low)[0] / _READABLE)  # the words grow with the picture
        top, bottom = letters * _HEAD + MARGIN, letters * (34 + legend.height)
        widest = max(13.0 * len(titles.network), 8.6 * len(titles.shown), legend.width)
        width = max((high - low)[0] + 2 * MARGIN, letters * (widest + 2 * MARGIN))
        height = (high - low)[1] + top + MARGIN / 2 + bottom
        shift = np.array([(width - (high - low)[0]) / 2, top]) - low
        self.boxes = self.boxes.moved(shift)
        self.curves = [curve.moved(shift) for curve in self.curves]
        self.root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
        self.root.set("width", f"{width:.0f}")
        self.root.set("height", f"{height:.0f}")
        self.root.set("font-family", FONT)
        ET.SubElement(self.root, "title").text = titles.network
        ET.SubElement(self.root, "rect", width="100%", height="100%", fill=PAPER)
        head = _scaled(self.root, 0.0, letters)
        add_text(head, MARGIN, 42, titles.network, size="21", weight="bold")
        add_text(head, MARGIN, 66, titles.shown, size="13.5", fill=FAINT)
        self._draw_links()
        badges = self.arrows.draw(self.root, self.boxes, self.curves)
        self._draw_boxes()
        draw_badges(self.root, badges, self.boxes)
        legend.draw(_scaled(self.root, height - bottom, letters), 30)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest x and y of what boxes and links cover."""
        along = np.linspace(0, 1, 33)
        places, halves = self.boxes.places, self.boxes.halves
        points = [places - halves, places + halves, *(curve.points(along) for curve in self.curves)]
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)

    def _titles(self) -> _Titles:
        keys = " ".join(f"{key}={spelled(value)}" for key, value in self.topology.as_dict().items())
        size = [counted(self.topology.nodes, "node")]
        if self.boxes.routers:
            size.append(counted(self.topology.routers, "router"))
        size.append(counted(sum(link.kind > 0 for link in self.links), "link"))
        shown = self.shown.title if self.shown else ", ".join(size)
        return _Titles(
            f"{self.topology.name} {keys}", f"{shown}, routing={self.network.routing.name}"
        )

    def _draw_links(self) -> None:
        groups: dict[int, ET.Element] = {}
        width = 2.2 if len(self.links) < 200 else 1.5
        for kind in sorted({link.kind for link in self.links}):
            style = {"stroke": kind_colour(kind), "stroke-width": f"{width}", "fill": "none"}
            groups[kind] = ET.SubElement(self.root, "g", style)
        labels = self.boxes.labels
        for number, link in enumerate(self.links):
            a, b = link.ends
            path = ET.SubElement(groups[link.kind], "path", d=self.curves[number].path())
            if link.marked:
                path.set("stroke-dasharray", DASHES)
            if (
                self.shown and self.shown.arrows and self.arrows.over(number) != 1
            ):  # two arrows stand beside their link
                path.set("opacity", "0.22")
            kind = f" ({self.topology.mark})" if link.marked else ""
            name = f"{labels[a]} - {labels[b]}: {self.topology.ports[link.port]}{kind}"
            ET.SubElement(path, "title").text = name
            if self.topology.is_one_way and not self.shown:
                self._draw_head(groups[link.kind], number)

    def _draw_head(self, group: ET.Element, number: int) -> None:
        """Draw the head of a one-way link, at its receiver."""
        receiver, kind = self.links[number].ends[1], self.links[number].kind
        place, half = self.boxes.places[receiver], self.boxes.halves[receiver]
        head = arrow_head(self.curves[number], place, half, 10.0)
        style = {"fill": kind_colour(kind), "stroke": "none", "class": "one-way"}
        ET.SubElement(group, "polygon", {"points": head.corners} | style)

    def _draw_boxes(self) -> None:
        """Boxes with labels: those of nodes round, those of mere routers square and grey."""
        groups = []
        for numbers, look in ((self.boxes.routers, ROUTER), (self.boxes.nodes, NODE)):
            if numbers:
                style = {"stroke": INK, "stroke-width": "1.4", "fill": look["fill"]}
                groups.append((numbers, look["rx"], ET.SubElement(self.root, "g", style)))
        letters = {"font-family": MONO, "font-size": "13", "text-anchor": "middle", "fill": INK}
        labels = ET.SubElement(self.root, "g", letters)
        for numbers, radius, group in groups:
            for number in numbers:
                self._draw_box(number, radius, group, labels)

    def _draw_box(self, number: int, radius: str, group: ET.Element, labels: ET.Element) -> None:
        (x, y), half = self.boxes.places[number], self.boxes.halves[number]
        box = {"x": f"{x - half[0]:.1f}", "y": f"{y - half[1]:.1f}"}
        box |= {"width": f"{2 * half[0]:.1f}", "height": f"{2 * half[1]:.0f}", "rx": radius}
        node = ET.SubElement(group, "rect", box)
        ET.SubElement(node, "title").text = self.boxes.tips[number]
        part = self.shown.parts.get(number) if self.shown else None
        if part:
            node.set("fill", PART_FILLS[part])
            node.set("stroke-width", "2.2")
        place = {"x": f"{x:.1f}", "y": f"{y + 4.5:.1f}"}
        ET.SubElement(labels, "text", place).text = self.boxes.labels[number]


def _laid_out(topology: Topology, links: list[Link]) -> tuple[Boxes, list[Curve]]:
    """Boxes and the curves between them, as close as keeps links off foreign boxes."""
    ends = np.array([link.ends for link in links], int).reshape(-1, 2)
    boxes = Boxes.of(topology, ends)
    spreads = _SPREADS if len(boxes.labels) <= _MOST_SPREAD else _SPREADS[:1]
    best, least = (boxes, list[Curve]()), len(links) + 1
    for wider in map(boxes.spread, spreads):
        curves, blocked = link_curves(wider.places, ends, wider.halves + _ROOM)
        if blocked < least:
            best, least = (wider, curves), blocked
        if not blocked:
            break
    return best


def _scaled(parent: ET.Element, top: float, scale: float) -> ET.Element:
    """Group that begins at a height, in which everything is larger by a factor."""
    if scale == 1.0 and top == 0.0:
        return parent
    return ET.SubElement(parent, "g", transform=f"translate(0 {top:.1f}) scale({scale:.3f})")
