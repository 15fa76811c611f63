"""Colours, fonts and measures that all parts of a picture share."""

from xml.etree import ElementTree as ET

from .highlights import DESTINATION, PASSED, SOURCE

# Okabe and Ito's first four colours, then others that were searched for: all are told apart by the
# colour-blind, and stand out from white as lines.
PALETTE = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#0098FF", "#B68E46",
    "#071B9C", "#710064", "#5F5C2B", "#1F211A",
)  # fmt: skip
INK, FAINT, PAPER = "#1b1f24", "#57606a", "#ffffff"
PART_FILLS = {SOURCE: "#cdeedd", DESTINATION: "#ffd9bf", PASSED: "#fff4c2"}
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
