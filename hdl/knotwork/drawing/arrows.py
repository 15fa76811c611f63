"""Arrows over the links of a picture, and the badges beside them."""

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from .badges import Badge, badge_places, badge_width
from .boxes import Boxes
from .highlights import Arrow
from .link_curves import Curve
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

    def draw(self, parent: ET.Element, boxes: Boxes, controls: np.ndarray) -> list[Badge]:
        """Draw the arrows; their badges, which are drawn when the boxes are there."""
        badges = []
        for arrow in self._arrows:
            shares = _NEAR_HEAD if self.over(self._number(arrow)) > 1 else _NEAR_MIDDLE
            curve = self._draw_arrow(parent, arrow, boxes, controls)
            badges.append(Badge(arrow.badge, curve, shares))
        return badges

    def _draw_arrow(
        self, parent: ET.Element, arrow: Arrow, boxes: Boxes, controls: np.ndarray
    ) -> np.ndarray:
        """Draw an arrow along a link, its head at the box's rim; points of its curve."""
        number = self._number(arrow)
        curve = Curve(boxes.places[arrow.router], controls[number], boxes.places[arrow.after])
        if self.over(number) > 1:
            curve = curve.moved_aside(_LANE)
        points = curve.points(_POINTS)
        rim = boxes.halves[arrow.after] + 2
        inside = (np.abs(points - boxes.places[arrow.after]) <= rim).all(axis=1)
        tip = points[np.argmax(inside)]
        end = int(np.argmax(np.hypot(*(points - tip).T) <= 14))
        tail = points[end]
        side = np.array([tail[1] - tip[1], tip[0] - tail[0]]) * 0.5
        first = curve.first
        bend = first + (curve.control - first) * _POINTS[end]
        link = self._links[number]
        colour = kind_colour(link.kind)
        d = f"M{first[0]:.1f} {first[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f}"
        style = {"d": f"{d} {tail[0]:.1f} {tail[1]:.1f}", "stroke": colour, "stroke-width": "5"}
        if link.marked:
            style["stroke-dasharray"] = "11 5"
        path = ET.SubElement(parent, "path", style | {"fill": "none", "class": "route"})
        if arrow.tooltip:
            ET.SubElement(path, "title").text = arrow.tooltip
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, tail + side, tail - side))
        ET.SubElement(parent, "polygon", {"points": corners, "fill": colour})
        return points


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
