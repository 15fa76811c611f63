"""Drawings taken apart; and how far apart colours look, also to the colour-blind.

References
----------
G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for simulation
of color vision deficiency", IEEE Trans. Visualization and Computer Graphics 15(6), 2009.
"""

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
from coloraide import Color
from knotwork.drawing.svg import draw_network

VISIONS = {
    "normal": lambda colour: colour,
    **{
        name: lambda colour, name=name: colour.filter(name, 1, method="machado").clip()
        for name in ("protan", "deutan", "tritan")
    },
}
"""What each kind of vision makes of a colour."""


def nearest(colours, vision):
    """Distance, by CIE 1976 L*a*b*, of the two colours that are most alike, and those two."""
    seen = [(colour, VISIONS[vision](Color(colour))) for colour in colours]
    return min(
        (one.delta_e(other, method="76"), first, second)
        for (first, one), (second, other) in combinations(seen, 2)
    )


def contrast(one, other):
    """Contrast of two colours by WCAG 2, 1..21."""
    return Color(one).contrast(other, method="wcag21")


SVG = "{http://www.w3.org/2000/svg}"


def parsed(network, **keys):
    return ET.fromstring(draw_network(network, **keys))


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def arrows(root):
    """Arrows by their tooltips."""
    found = {}
    for path in root.iter(f"{SVG}path"):
        if path.get("class") == "route":
            found.setdefault(path.find(f"{SVG}title").text, []).append(path)
    return found


def badges_of(root):
    """Text and middle of each badge."""
    boxes = [box for box in root.findall(f"{SVG}rect") if box.get("stroke") == "#ffffff"]
    words = [text for text in root.findall(f"{SVG}text") if text.get("fill") == "#ffffff"]
    assert len(boxes) == len(words)
    return [
        (text.text, [float(box.get(key)) for key in ("x", "y", "width", "height")])
        for text, box in zip(words, boxes, strict=True)
    ]


def rects_of(root):
    """Boxes of routers and nodes: not those of the legend and of badges."""
    groups = (group for group in root.iter(f"{SVG}g") if group.get("class") == "boxes")
    return [box for group in groups for box in group.iter(f"{SVG}rect")]


def fills(root):
    """Fill of each node that has one of its own, by index."""
    boxes = rects_of(root)
    named = {int(box.find(f"{SVG}title").text.split()[-1]): box.get("fill") for box in boxes}
    return {node: fill for node, fill in named.items() if fill}


def corners_of(path):
    """Ends of a link's line, or all four points of its cubic curve, (points, 2)."""
    return np.array(re.findall(r"-?[\d.]+", path.get("d")), float).reshape(-1, 2)


def points_of(path, count=401):
    """Points along a link, (count, 2), by de Casteljau's scheme."""
    t = np.linspace(0, 1, count)[:, None]
    corners = corners_of(path)[:, None]
    while len(corners) > 1:
        corners = corners[:-1] * (1 - t) + corners[1:] * t
    return corners[0]


def middle_of(path):
    """Point of a link half way."""
    return points_of(path, 3)[1]


def boxes_of(root):
    """Place, size and radius of each box that is no legend's, by its label."""
    found = {}
    for box in rects_of(root):
        label = box.find(f"{SVG}title").text.partition(":")[0], box.get("rx")
        assert label not in found
        found[label] = [float(box.get(key)) for key in ("x", "y", "width", "height")]
    return found
