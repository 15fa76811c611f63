"""Marks on a drawing: badges, arrows along links, the legend; and the colours and fonts of all."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from xml.etree import ElementTree as ET

import numpy as np

from ..topology import Topology
from .boxes import Boxes, Link, has_node_boxes
from .curves import Curve
from .highlights import CENTRE, DESTINATION, MEMBER, PASSED, SOURCE, Arrow, Highlight

# Okabe and Ito's first four colours, then others that were searched for: all are distinct to the
# colour-blind, and stand out from white as lines.
PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#0098FF", "#B68E46",
    "#071B9C", "#710064", "#5F5C2B", "#1F211A",
)  # fmt: skip
INK, FAINT, PAPER = "#1b1f24", "#57606a", "#ffffff"
PART_FILLS = {SOURCE: "#cdeedd", DESTINATION: "#ffd9bf", PASSED: "#fff4c2"}
PART_FILLS |= {CENTRE: PART_FILLS[SOURCE], MEMBER: PART_FILLS[DESTINATION]}
"""Fill of a box that has a part in what is highlighted."""
DASHES = "6 4"
NODE, ROUTER = {"fill": PAPER, "rx": "12"}, {"fill": "#eaeef2", "rx": "3"}
FONT = "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif"
MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
MARGIN = 44.0
"""Pixels around the drawing."""


def kind_colour(kind: int) -> str:
    """Colour of a kind of links; links to nodes are grey."""
    return PALETTE[(kind - 1) % len(PALETTE)] if kind else FAINT


def add_text(parent: ET.Element, x: float, y: float, text: str, **style: str) -> None:
    """Add a line of text; `style` may name its size, weight, fill, anchor and family."""
    attributes = {"font-size": style.get("size", "13"), "fill": style.get("fill", INK)}
    attributes |= {"x": f"{x:.1f}", "y": f"{y:.1f}"}
    for key, name in (
        ("weight", "font-weight"),
        ("anchor", "text-anchor"),
        ("family", "font-family"),
    ):
        if key in style:
            attributes[name] = style[key]
    ET.SubElement(parent, "text", attributes).text = text


_BESIDE = 2.5  # between a badge and what it must not cover, in pixels


def badge_width(text: str) -> int:
    """Width of a badge with this text, in pixels."""
    return 7 * len(text) + 10


class Badge(NamedTuple):
    """Badge that looks for its place on a curve.

    Members
    -------
    text : str
        What it says.
    curve : ndarray
        Points of the curve, (points, 2).
    shares : tuple of float
        Where it may be, as shares of the curve, the best first.
    """

    text: str
    curve: np.ndarray
    shares: tuple[float, ...]

    @property
    def half(self) -> np.ndarray:
        """Half width and half height, in pixels."""
        return np.array([badge_width(self.text) / 2, 9.0])


def badge_places(badges: list[Badge], boxes: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Place of each badge, (badges, 2): on no box; on no other badge or curve if possible.

    Parameters
    ----------
    badges : list of Badge
        In the order in which they choose.
    boxes : ndarray
        Middles of the boxes, (boxes, 2).
    halves : ndarray
        Half width and half height of a box; for all boxes, or for each, (boxes, 2).
    """
    lows = np.array([badge.curve.min(axis=0) for badge in badges])
    highs = np.array([badge.curve.max(axis=0) for badge in badges])
    rooms = np.array([badge.half for badge in badges]).reshape(-1, 2)
    places = np.empty((len(badges), 2))

    def crowding(number: int, place: np.ndarray) -> tuple[bool, bool, int]:
        """What a badge would cover there, the worst first: a box, a badge, so many curves."""
        room = rooms[number] + _BESIDE
        near = np.nonzero(((lows - room < place) & (place < highs + room)).all(axis=1))[0]
        met = sum(_covers(place, room, badges[other].curve) for other in near if other != number)
        taken = _covers(place, room + rooms[:number], places[:number])
        return _covers(place, room + halves, boxes), taken, met

    for number, badge in enumerate(badges):
        points = [badge.curve[round(share * (len(badge.curve) - 1))] for share in badge.shares]
        places[number] = min(points, key=lambda place: crowding(number, place))
    return places


def _covers(place: np.ndarray, room: np.ndarray, points: np.ndarray) -> bool:
    return bool((np.abs(points - place) <= room).all(axis=1).any())


_KINDS_IN_A_ROW = 6
_ROW = 24  # pixels from one row to the next


class Entry(NamedTuple):
    """Name, and the style of the line (it has a stroke) or box before it."""

    name: str
    style: dict[str, str]

    @property
    def width(self) -> float:
        """Width in pixels."""
        return 62 + 7.6 * len(self.name)


@dataclass(frozen=True)
class Legend:
    """Rows of entries: kinds of links, and then boxes, marks and badges."""

    rows: list[list[Entry]]

    @classmethod
    def of(
        cls, topology: Topology, links: Sequence[Link], shown: Highlight | None, mark: str = ""
    ) -> Self:
        """Legend of the links of a picture, and of what is highlighted; `mark` is as in `Panel`."""
        used = sorted({link.kind for link in links})
        kinds = [Entry(topology.link_kinds[kind], {"stroke": kind_colour(kind)}) for kind in used]
        step = _KINDS_IN_A_ROW
        if shown and shown.is_plain:
            kinds = []
        rows = [kinds[first : first + step] for first in range(0, len(kinds), step)]
        others: list[Entry] = []
        if has_node_boxes(topology):
            others += [Entry("node", NODE), Entry("router", ROUTER)]
        if any(link.marked for link in links):
            others += [] if mark else [Entry("plain", {"stroke": FAINT})]
            others.append(
                Entry(mark or topology.mark, {"stroke": FAINT, "stroke-dasharray": DASHES})
            )
        if shown:
            others += [Entry(part, {"fill": PART_FILLS[part]}) for part in shown.legend]
            others += [Entry(shown.badges, {"fill": INK})] if shown.badges else []
        return cls([*rows, others] if others else rows)

    @property
    def width(self) -> float:
        """Width of the widest row, in pixels."""
        return max((sum(entry.width for entry in row) for row in self.rows), default=0.0)

    @property
    def height(self) -> int:
        """Height in pixels."""
        return _ROW * len(self.rows)

    def draw(self, parent: ET.Element, top: float) -> None:
        """Draw the rows, the first one at `top`."""
        for number, row in enumerate(self.rows):
            x, y = MARGIN, top + _ROW * number
            for entry in row:
                _draw_sample(parent, x, y, entry.style)
                add_text(parent, x + 37, y + 4.5, entry.name)
                x += entry.width


def _draw_sample(parent: ET.Element, x: float, y: float, style: dict[str, str]) -> None:
    if "stroke" in style:
        line = {"x1": f"{x:.1f}", "x2": f"{x + 30:.1f}", "y1": f"{y:.1f}", "y2": f"{y:.1f}"}
        ET.SubElement(parent, "line", line | style | {"stroke-width": "3"})
    else:
        box = {"x": f"{x:.1f}", "y": f"{y - 7:.1f}", "width": "30", "height": "14"}
        ET.SubElement(parent, "rect", box | {"rx": "7", "stroke": INK} | style)


_LANE = 6.0  # from a link that packets cross both ways to the arrow of either, in pixels
_NEAR_MIDDLE = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # places of a badge, the best first ...
_NEAR_HEAD = (0.6, 0.56, 0.64, 0.68, 0.72, 0.5, 0.44)  # ... and where a link has two arrows
_POINTS = np.linspace(0, 1, 201)


class Arrows:
    """Arrows of a picture, each over a link.

    Parameters
    ----------
    arrows : sequence of Arrow
        In the order of their drawing.
    links : sequence of Link
        All links of the picture.
    one_way : bool
        Whether packets cross a link from its first end only.
    """

    def __init__(self, arrows: Sequence[Arrow], links: Sequence[Link], *, one_way: bool) -> None:
        self._arrows, self._links = arrows, links
        senders = 1 if one_way else 2
        self._numbers = {
            end: number
            for number, link in enumerate(links)
            for end in list(zip(link.ends, link.ports, strict=True))[:senders]
        }
        self._uses = Counter(self._number(arrow) for arrow in arrows)

    def _number(self, arrow: Arrow) -> int:
        """Number of the link that an arrow stands over."""
        return self._numbers[arrow.router, arrow.port]

    def over(self, number: int) -> int:
        """Arrows over a link."""
        return self._uses[number]

    def draw(self, parent: ET.Element, boxes: Boxes, curves: Sequence[Curve]) -> list[Badge]:
        """Draw the arrows; their badges, which are drawn when the boxes are there."""
        badges = []
        for arrow in self._arrows:
            shares = _NEAR_HEAD if self.over(self._number(arrow)) > 1 else _NEAR_MIDDLE
            curve = self._draw_arrow(parent, arrow, boxes, curves)
            if arrow.badge:
                badges.append(Badge(arrow.badge, curve, shares))
        return badges

    def _draw_arrow(
        self, parent: ET.Element, arrow: Arrow, boxes: Boxes, curves: Sequence[Curve]
    ) -> np.ndarray:
        """Draw an arrow along a link, its head at the box's rim; points of its curve."""
        number = self._number(arrow)
        link, curve = self._links[number], curves[number]
        if arrow.router != link.ends[0]:
            curve = curve.reversed()
        if self.over(number) > 1:
            curve = curve.moved_aside(_LANE)
        head = arrow_head(curve, boxes.places[arrow.after], boxes.halves[arrow.after], 14.0)
        colour = kind_colour(link.kind if arrow.colour is None else arrow.colour)
        style = {"d": curve.until(head.begin).path(), "stroke": colour, "stroke-width": "5"}
        if link.marked:
            style["stroke-dasharray"] = "11 5"
        path = ET.SubElement(parent, "path", style | {"fill": "none", "class": "route"})
        if arrow.tooltip:
            ET.SubElement(path, "title").text = arrow.tooltip
        ET.SubElement(parent, "polygon", {"points": head.corners, "fill": colour})
        return curve.points(_POINTS)


class ArrowHead(NamedTuple):
    """Triangle at the end of a curve.

    Members
    -------
    corners : str
        Its corners, as an SVG document says them.
    begin : float
        Parameter of the curve, 0..1, where it begins.
    """

    corners: str
    begin: float


def arrow_head(curve: Curve, middle: np.ndarray, half: np.ndarray, length: float) -> ArrowHead:
    """Head, `length` pixels long, where a curve meets the rim of the box at its end."""
    points = curve.points(_POINTS)
    # The last point before the box: a curve may brush its rim on the way.
    outside = (np.abs(points - middle) > half + 2).any(axis=1)
    end = int(np.nonzero(outside)[0].max(initial=0))
    tip = points[end]
    begin = int(np.argmax(np.hypot(*(points[: end + 1] - tip).T) <= length))
    tail = points[begin]
    side = np.array([tail[1] - tip[1], tip[0] - tail[0]]) * 0.5
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, tail + side, tail - side))
    return ArrowHead(corners, float(_POINTS[begin]))


def draw_badges(parent: ET.Element, badges: list[Badge], boxes: Boxes) -> None:
    """Draw the badges of arrows, each at its place."""
    places = badge_places(badges, boxes.places, boxes.halves)
    for badge, (x, y) in zip(badges, places, strict=True):
        width = badge_width(badge.text)
        box = {"x": f"{x - width / 2:.1f}", "y": f"{y - 9:.1f}", "width": f"{width}"}
        box |= {"height": "18", "rx": "9", "fill": INK, "stroke": PAPER}
        ET.SubElement(parent, "rect", box)
        add_text(
            parent, x, y + 4, badge.text, size="11", fill=PAPER, anchor="middle", weight="bold"
        )
