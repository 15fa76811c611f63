"""Panels of a drawing: one picture of a network, and several of them in a grid."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self
from xml.etree import ElementTree as ET

import numpy as np

from ..topology import Topology
from .boxes import LINE, Boxes, Link, label_lines
from .curves import Curve
from .highlights import Highlight
from .marks import (
    DASHES,
    INK,
    MONO,
    NODE,
    PAPER,
    PART_FILLS,
    ROUTER,
    Arrows,
    Badge,
    add_text,
    arrow_head,
    badge_places,
    draw_badges,
    kind_colour,
)


@dataclass(frozen=True)
class Panel:
    """Network drawn once.

    Members
    -------
    topology : Topology
        The network.
    links : list of Link
        Its links.
    boxes : Boxes
        Boxes at their ends.
    curves : list of Curve
        Curve of each link.
    shown : Highlight or None
        What is highlighted.
    mark : str
        What marked links are; empty for what the topology says.
    one_way : bool
        Whether packets cross the links from their first end only, as in a one-way topology.
    """

    topology: Topology
    links: list[Link]
    boxes: Boxes
    curves: list[Curve]
    shown: Highlight | None
    mark: str = ""
    one_way: bool = False

    @cached_property
    def arrows(self) -> Arrows:
        """Arrows over the links."""
        arrows = self.shown.arrows if self.shown else ()
        one_way = self.one_way or self.topology.is_one_way
        return Arrows(arrows, self.links, one_way=one_way)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest x and y of what boxes and links cover."""
        along = np.linspace(0, 1, 33)
        places, halves = self.boxes.places, self.boxes.halves
        points = [places - halves, places + halves, *(curve.points(along) for curve in self.curves)]
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)

    def moved(self, by: np.ndarray) -> Self:
        """The same panel elsewhere."""
        curves = [curve.moved(by) for curve in self.curves]
        return replace(self, boxes=self.boxes.moved(by), curves=curves)

    def draw(self, parent: ET.Element) -> None:
        """Draw links, arrows over them, boxes, and badges."""
        self._draw_links(parent)
        badges = self.arrows.draw(parent, self.boxes, self.curves)
        self._draw_boxes(parent)
        draw_badges(parent, badges, self.boxes)

    def _draw_links(self, parent: ET.Element) -> None:
        groups: dict[int, ET.Element] = {}
        width = 2.2 if len(self.links) < 200 else 1.5
        for kind in sorted({link.kind for link in self.links}):
            colour = kind_colour(0 if self.shown and self.shown.is_plain else kind)
            style = {"stroke": colour, "stroke-width": f"{width}", "fill": "none"}
            groups[kind] = ET.SubElement(parent, "g", style)
        labels = self.boxes.labels
        for number, link in enumerate(self.links):
            a, b = link.ends
            path = ET.SubElement(groups[link.kind], "path", _id(link.id))
            path.set("d", self.curves[number].path())
            if link.marked:
                path.set("stroke-dasharray", DASHES)
            if self._is_faint(number):
                path.set("opacity", "0.22")
            ET.SubElement(path, "title").text = f"{labels[a]} - {labels[b]}: {self._says(link)}"
            if self.topology.is_one_way and not self.shown:
                self._draw_head(groups[link.kind], number)
        if not self.shown and any(link.latency > 1 for link in self.links):
            self._draw_latencies(parent)

    def _says(self, link: Link) -> str:
        """Port that names a link, and its mark."""
        mark = self.mark or self.topology.mark
        if link.port < 0:
            return mark
        cycles = f", {link.latency} cycles" if link.latency > 1 else ""
        return self.topology.ports[link.port] + (f" ({mark})" if link.marked else "") + cycles

    def _draw_latencies(self, parent: ET.Element) -> None:
        """Write its cycles beside the middle of each link that takes more than one."""
        along, shares = np.linspace(0, 1, 41), (0.4, 0.6, 0.3, 0.7, 0.5)
        badges = [
            Badge(str(link.latency), curve.points(along), shares)
            for link, curve in zip(self.links, self.curves, strict=True)
            if link.latency > 1
        ]
        letters = {"font-family": MONO, "font-size": "12", "text-anchor": "middle", "fill": INK}
        rim = {"stroke": PAPER, "stroke-width": "5", "paint-order": "stroke", "class": "latency"}
        places = badge_places(badges, self.boxes.places, self.boxes.halves)
        for badge, (x, y) in zip(badges, places, strict=True):
            place = {"x": f"{x:.1f}", "y": f"{y + 4.0:.1f}"}
            ET.SubElement(parent, "text", place | letters | rim).text = badge.text

    def _is_faint(self, number: int) -> bool:
        """Whether a link is faint under what is highlighted."""
        if self.shown is None or not (self.shown.arrows or self.shown.is_plain):
            return False
        # Two arrows stand beside their link.
        return self.shown.is_plain or self.arrows.over(number) != 1

    def _draw_head(self, group: ET.Element, number: int) -> None:
        """Draw the head of a one-way link, at its receiver."""
        receiver, kind = self.links[number].ends[1], self.links[number].kind
        place, half = self.boxes.places[receiver], self.boxes.halves[receiver]
        head = arrow_head(self.curves[number], place, half, 10.0)
        style = {"fill": kind_colour(kind), "stroke": "none", "class": "one-way"}
        ET.SubElement(group, "polygon", {"points": head.corners} | style)

    def _draw_boxes(self, parent: ET.Element) -> None:
        """Boxes with labels: those of nodes round, those of mere routers square and grey."""
        letters = {"font-family": MONO, "font-size": "13", "text-anchor": "middle"}
        for numbers, look in ((self.boxes.routers, ROUTER), (self.boxes.nodes, NODE)):
            if numbers:
                style = {"stroke": INK, "stroke-width": "1.4", "fill": look["fill"]} | letters
                group = ET.SubElement(parent, "g", {"class": "boxes"} | style)
                for number in numbers:
                    self._draw_box(number, look["rx"], group)

    def _draw_box(self, number: int, radius: str, group: ET.Element) -> None:
        (x, y), half = self.boxes.places[number], self.boxes.halves[number]
        box = {"x": f"{x - half[0]:.1f}", "y": f"{y - half[1]:.1f}"}
        box |= {"width": f"{2 * half[0]:.1f}", "height": f"{2 * half[1]:.0f}", "rx": radius}
        ids = self.boxes.ids[number]
        router = ET.SubElement(group, "g", _id(ids.router))
        node = ET.SubElement(router, "rect", _id(ids.node) | box)
        ET.SubElement(node, "title").text = self.boxes.tips[number]
        part = self.shown.parts.get(number) if self.shown else None
        if part:
            node.set("fill", PART_FILLS[part])
            node.set("stroke-width", "2.2")
        lines = label_lines(self.boxes.labels[number])
        first = y + 4.5 - LINE / 2 * (len(lines) - 1)
        for row, line in enumerate(lines):
            place = {"x": f"{x:.1f}", "y": f"{first + LINE * row:.1f}"}
            ET.SubElement(router, "text", place | {"stroke": "none", "fill": INK}).text = line


def _id(name: str) -> dict[str, str]:
    """Attribute that names an element; none where it has no name."""
    return {"id": name} if name else {}


_GAP = 36.0  # between two panels, in pixels
_CAPTION = 34.0  # height of a caption, with the air below it
_LETTER = 8.8  # width of a letter of a caption
_ASPECT = 1.5  # width of all panels by their height, at best


@dataclass(frozen=True)
class Grid:
    """Panels of equal size.

    Members
    -------
    panels : sequence of Panel
        Row by row; one alone has no caption.
    columns : int
        Panels in a row.
    cell : ndarray
        Width and height of a panel with its caption.
    """

    panels: Sequence[Panel]
    columns: int
    cell: np.ndarray

    @classmethod
    def of(cls, panels: Sequence[Panel]) -> Self:
        """Grid that is about as wide as a screen."""
        low, high = panels[0].bounds
        cell = high - low
        if len(panels) == 1:
            return cls(panels, 1, cell)
        captions = max(len(panel.shown.title) for panel in panels if panel.shown)
        cell = np.array([max(cell[0], _LETTER * captions), cell[1] + _CAPTION])

        def spread(columns: int) -> float:
            rows = -(-len(panels) // columns)
            return max(columns * (cell[0] + _GAP) / _ASPECT, rows * (cell[1] + _GAP))

        return cls(panels, min(range(1, len(panels) + 1), key=spread), cell)

    @property
    def size(self) -> np.ndarray:
        """Width and height of all panels."""
        rows = -(-len(self.panels) // self.columns)
        return np.array([self.columns, rows]) * (self.cell + _GAP) - _GAP

    def draw(self, parent: ET.Element, corner: np.ndarray) -> None:
        """Draw the panels and their captions, the first one at `corner`."""
        low, high = self.panels[0].bounds
        if len(self.panels) == 1:
            self.panels[0].moved(corner - low).draw(parent)
            return
        inset = np.array([(self.cell[0] - (high - low)[0]) / 2, _CAPTION])
        for number, panel in enumerate(self.panels):
            row, column = divmod(number, self.columns)
            place = corner + np.array([column, row]) * (self.cell + _GAP)
            group = ET.SubElement(parent, "g", {"class": "panel"})
            middle = place[0] + self.cell[0] / 2
            if panel.shown:
                style = {"size": "15", "weight": "bold", "anchor": "middle"}
                add_text(group, middle, place[1] + 12, panel.shown.title, **style)
            panel.moved(place + inset - low).draw(group)
