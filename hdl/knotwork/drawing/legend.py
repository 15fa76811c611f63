"""Legend of a picture: what its colours, dashes and fills mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from xml.etree import ElementTree as ET

from ..topology import Topology
from .highlights import Highlight
from .links import Link, has_node_boxes
from .style import DASHES, FAINT, INK, MARGIN, NODE, PART_FILLS, ROUTER, add_text, kind_colour

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
