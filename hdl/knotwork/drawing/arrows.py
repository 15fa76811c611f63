"""Arrows over the links of a picture, and the badges beside them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from .badges import Badge, badge_places, badge_width
from .boxes import Boxes
from .curve import Curve
from .highlights import Arrow
from .links import Link
from .style import INK, PAPER, add_text, kind_colour

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
