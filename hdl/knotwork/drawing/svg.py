"""Drawings of networks: SVG with links coloured by kind, and the ways of packets over them."""

from collections import Counter
from collections.abc import Collection
from xml.etree import ElementTree as ET

import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..parameters import spelled
from .boxes import Boxes
from .curves import badge_places, control_points, curve_points, moved_aside
from .highlights import (
    DESTINATION,
    PASSED,
    SOURCE,
    Arrow,
    Ways,
    has_node_boxes,
    links_of,
    way_of_packet,
    ways_of_broadcast,
    ways_of_multicast,
)

ROUTER_LIMIT = 1024
"""Routers, and nodes where those are not the same, up to which a drawing says anything."""

# Okabe and Ito's colours and then Tol's: told apart by the colour-blind, and dark enough for lines
# on white.
PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00",
    "#332288", "#882255", "#999933", "#6B6B6B",
)  # fmt: skip
_INK, _FAINT, _PAPER = "#1b1f24", "#57606a", "#ffffff"
_FILLS = {SOURCE: "#cdeedd", DESTINATION: "#ffd9bf", PASSED: "#fff4c2"}
_DASHES = "6 4"
_NODE, _ROUTER = {"fill": _PAPER, "rx": "12"}, {"fill": "#eaeef2", "rx": "3"}
_FONT = "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif"
_MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
_MARGIN = 44.0
_ROOM = 4.0  # between a node's rim and a line that passes, in pixels
_LANE = 6.0  # from a link that packets cross both ways to the arrow of either, in pixels
_NEAR_MIDDLE = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # places of a badge, the best first ...
_NEAR_HEAD = (0.6, 0.56, 0.64, 0.68, 0.72, 0.5, 0.44)  # ... and where there are two on a link


def draw_network(
    network: Network,
    *,
    route: tuple[int, int] | None = None,
    multicast: tuple[int, Collection[int]] | None = None,
    broadcast: int | None = None,
) -> str:
    """SVG of a network.

    Parameters
    ----------
    network : Network
        What to draw.
    route : (int, int), optional
        Source and destination of a packet whose way is shown: hops numbered, with their virtual
        channels.
    multicast : (int, collection of int), optional
        Instead, source and destinations of a multicast, shown with the numbers of its rounds.
    broadcast : int, optional
        Instead, source of a broadcast, whose tree is shown with the steps of its copies.

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
    ways = way_of_packet(network, *route) if route else None
    if multicast:
        ways = ways_of_multicast(network, *multicast)
    if broadcast is not None:
        ways = ways_of_broadcast(network, broadcast)
    return _Drawing(network, ways).text()


class _Drawing:
    """One drawing in the making."""

    def __init__(self, network: Network, ways: Ways | None) -> None:
        self.network, self.topology, self.ways = network, network.topology, ways
        self.links = links_of(self.topology)
        self.ends = np.array([link.ends for link in self.links], int).reshape(-1, 2)
        self.boxes = Boxes.of(self.topology, self.ends)
        self.controls = control_points(self.boxes.places, self.ends, self.boxes.halves + _ROOM)
        self.arrows = ways.arrows if ways else ()
        ends = 1 if self.topology.is_one_way else 2  # by which packets leave
        self.numbers = {
            end: number
            for number, link in enumerate(self.links)
            for end in list(zip(link.ends, link.ports, strict=True))[:ends]
        }
        self.uses = Counter(self.numbers[arrow.router, arrow.port] for arrow in self.arrows)
        self.root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg")

    def text(self) -> str:
        """Whole document."""
        title = self._title()
        legend = self._legend()
        top, bottom = 78 + _MARGIN, 34 + 24 * len(legend)
        size = self.boxes.places.max(axis=0) + 2 * _MARGIN
        widths = [13.0 * len(title[0]), 8.6 * len(title[1]), *map(self._legend_width, legend)]
        width, height = max(size[0], max(widths) + 2 * _MARGIN), size[1] - _MARGIN + top + bottom
        shift = np.array([(width - size[0]) / 2 + _MARGIN, top])
        self.boxes, self.controls = self.boxes.moved(shift), self.controls + shift
        self.root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
        self.root.set("width", f"{width:.0f}")
        self.root.set("height", f"{height:.0f}")
        self.root.set("font-family", _FONT)
        ET.SubElement(self.root, "title").text = title[0]
        ET.SubElement(self.root, "rect", width="100%", height="100%", fill=_PAPER)
        self._write(_MARGIN, 42, title[0], size="21", weight="bold")
        self._write(_MARGIN, 66, title[1], size="13.5", fill=_FAINT)
        self._draw_links()
        badges = self._draw_arrows()
        self._draw_boxes()
        for badge, place in badges:
            self._draw_badge(badge, place)
        for number, row in enumerate(legend):
            self._draw_legend(row, height - bottom + 30 + 24 * number)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _title(self) -> tuple[str, str]:
        keys = " ".join(f"{key}={spelled(value)}" for key, value in self.topology.as_dict().items())
        routing = f"routing={self.network.routing.name}"
        size = f"{self.topology.nodes} nodes, {len(self.links)} links"
        if self.boxes.routers:
            links = sum(link.kind > 0 for link in self.links)
            size = f"{self.topology.nodes} nodes, {self.topology.routers} routers, {links} links"
        shown = self.ways.title if self.ways else size
        return f"{self.topology.name} {keys}", f"{shown}, {routing}"

    def _write(self, x: float, y: float, text: str, **style: str) -> ET.Element:
        """Add a line of text; `style` may name its size, weight, fill, anchor and family."""
        attributes = {"font-size": style.get("size", "13"), "fill": style.get("fill", _INK)}
        attributes |= {"x": f"{x:.1f}", "y": f"{y:.1f}"}
        for key, name in (
            ("weight", "font-weight"),
            ("anchor", "text-anchor"),
            ("family", "font-family"),
        ):
            if key in style:
                attributes[name] = style[key]
        element = ET.SubElement(self.root, "text", attributes)
        element.text = text
        return element

    def _draw_links(self) -> None:
        groups: dict[int, ET.Element] = {}
        width = 2.2 if len(self.links) < 200 else 1.5
        for kind in sorted({link.kind for link in self.links}):
            style = {"stroke": _colour(kind), "stroke-width": f"{width}", "fill": "none"}
            groups[kind] = ET.SubElement(self.root, "g", style)
        for number, link in enumerate(self.links):
            a, b = link.ends
            path = ET.SubElement(groups[link.kind], "path", d=self._path(number))
            if link.marked:
                path.set("stroke-dasharray", _DASHES)
            if self.ways and self.uses[number] != 1:  # two arrows stand beside their link
                path.set("opacity", "0.22")
            kind = f" ({self.topology.mark})" if link.marked else ""
            labels = self.boxes.labels
            name = f"{labels[a]} - {labels[b]}: {self.topology.ports[link.port]}{kind}"
            ET.SubElement(path, "title").text = name

    def _path(self, number: int) -> str:
        first, last = (self.boxes.places[end] for end in self.links[number].ends)
        control = self.controls[number]
        start, end = f"M{first[0]:.1f} {first[1]:.1f}", f"{last[0]:.1f} {last[1]:.1f}"
        if np.allclose(control, (first + last) / 2):
            return f"{start}L{end}"
        return f"{start}Q{control[0]:.1f} {control[1]:.1f} {end}"

    def _draw_arrows(self) -> list[tuple[str, np.ndarray]]:
        """Draw the arrows over links; what their badges say, and where they belong."""
        curves = [self._draw_arrow(arrow) for arrow in self.arrows]
        badges = [arrow.badge for arrow in self.arrows]
        halves = np.array([(_badge_width(badge) / 2, 9) for badge in badges]).reshape(-1, 2)
        twice = [self.uses[self.numbers[arrow.router, arrow.port]] > 1 for arrow in self.arrows]
        shares = [_NEAR_HEAD if both else _NEAR_MIDDLE for both in twice]
        places = badge_places(curves, halves, self.boxes.places, self.boxes.halves, shares)
        return list(zip(badges, places, strict=True))

    def _draw_arrow(self, arrow: Arrow) -> np.ndarray:
        """Arrow along a link, its head at the node's rim; its curve."""
        number = self.numbers[arrow.router, arrow.port]
        places, halves = self.boxes.places, self.boxes.halves
        points = places[arrow.router], self.controls[number], places[arrow.after]
        if self.uses[number] > 1:
            points = moved_aside(points, _LANE)
        first, control, last = points
        at = np.linspace(0, 1, 201)
        curve = curve_points(first, control, last, at)
        inside = (np.abs(curve - places[arrow.after]) <= halves[arrow.after] + 2).all(axis=1)
        tip = curve[np.argmax(inside)]
        end = int(np.argmax(np.hypot(*(curve - tip).T) <= 14))
        tail = curve[end]
        side = np.array([tail[1] - tip[1], tip[0] - tail[0]]) * 0.5
        bend = first + (control - first) * at[end]
        colour = _colour(self.links[number].kind)
        d = f"M{first[0]:.1f} {first[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f}"
        style = {"d": f"{d} {tail[0]:.1f} {tail[1]:.1f}", "stroke": colour, "stroke-width": "5"}
        if self.links[number].marked:
            style["stroke-dasharray"] = "11 5"
        path = ET.SubElement(self.root, "path", style | {"fill": "none", "class": "route"})
        if arrow.says:
            ET.SubElement(path, "title").text = arrow.says
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, tail + side, tail - side))
        ET.SubElement(self.root, "polygon", {"points": corners, "fill": colour})
        return curve

    def _draw_badge(self, text: str, place: np.ndarray) -> None:
        width = _badge_width(text)
        x, y = place
        box = {"x": f"{x - width / 2:.1f}", "y": f"{y - 9:.1f}", "width": f"{width}"}
        box |= {"height": "18", "rx": "9", "fill": _INK, "stroke": _PAPER}
        ET.SubElement(self.root, "rect", box)
        self._write(x, y + 4, text, size="11", fill=_PAPER, anchor="middle", weight="bold")

    def _draw_boxes(self) -> None:
        """Boxes with labels: those of nodes round, those of mere routers square and grey."""
        groups = []
        for numbers, look in ((self.boxes.routers, _ROUTER), (self.boxes.nodes, _NODE)):
            if numbers:
                style = {"stroke": _INK, "stroke-width": "1.4", "fill": look["fill"]}
                groups.append((numbers, look["rx"], ET.SubElement(self.root, "g", style)))
        letters = {"font-family": _MONO, "font-size": "13", "text-anchor": "middle", "fill": _INK}
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
        part = self.ways.parts.get(number) if self.ways else None
        if part:
            node.set("fill", _FILLS[part])
            node.set("stroke-width", "2.2")
        place = {"x": f"{x:.1f}", "y": f"{y + 4.5:.1f}"}
        ET.SubElement(labels, "text", place).text = self.boxes.labels[number]

    def _legend(self) -> list[list[tuple[str, dict[str, str]]]]:
        """Rows of entries: a name, and the style of the line or box before it."""
        used = sorted({link.kind for link in self.links})
        names = [(self.topology.link_kinds[kind], {"stroke": _colour(kind)}) for kind in used]
        rows = [names[first : first + 6] for first in range(0, len(names), 6)]
        kinds: list[tuple[str, dict[str, str]]] = []
        if self.boxes.routers:
            kinds += [("node", _NODE), ("router", _ROUTER)]
        if any(link.marked for link in self.links):
            kinds.append(("plain", {"stroke": _FAINT}))
            kinds.append((self.topology.mark, {"stroke": _FAINT, "stroke-dasharray": _DASHES}))
        if self.ways:
            kinds += [(part, {"fill": _FILLS[part]}) for part in self.ways.legend]
            kinds.append((self.ways.badges, {"fill": _INK}))
        return [*rows, kinds] if kinds else rows

    def _legend_width(self, row: list[tuple[str, dict[str, str]]]) -> float:
        return sum(62 + 7.6 * len(name) for name, _ in row)

    def _draw_legend(self, row: list[tuple[str, dict[str, str]]], y: float) -> None:
        x = _MARGIN
        for name, style in row:
            if "stroke" in style:
                line = {"x1": f"{x:.1f}", "x2": f"{x + 30:.1f}", "y1": f"{y:.1f}", "y2": f"{y:.1f}"}
                ET.SubElement(self.root, "line", line | style | {"stroke-width": "3"})
            else:
                box = {"x": f"{x:.1f}", "y": f"{y - 7:.1f}", "width": "30", "height": "14"}
                box |= {"rx": "7", "stroke": _INK}
                ET.SubElement(self.root, "rect", box | style)
            self._write(x + 37, y + 4.5, name)
            x += self._legend_width([(name, style)])


def _colour(kind: int) -> str:
    """Colour of a kind of links; those to nodes have none."""
    return PALETTE[(kind - 1) % len(PALETTE)] if kind else _FAINT


def _badge_width(text: str) -> int:
    return 7 * len(text) + 10
