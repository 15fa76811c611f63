"""What is in a picture of a network."""

from xml.etree import ElementTree as ET

import numpy as np
from knotwork.drawing.svg import draw_network

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


def fills(root):
    """Fill of each node that has one of its own, by index."""
    boxes = (box for group in root.findall(f"{SVG}g") for box in group.findall(f"{SVG}rect"))
    named = {int(box.find(f"{SVG}title").text.split()[-1]): box.get("fill") for box in boxes}
    return {node: fill for node, fill in named.items() if fill}


def middle_of(path):
    """Point of a link half way, from its line or quadratic curve."""
    numbers = np.array(path.get("d").replace("M", "").replace("L", " ").replace("Q", " ").split())
    points = numbers.astype(float).reshape(-1, 2)
    return points.mean(axis=0) if len(points) == 2 else points.T @ [0.25, 0.5, 0.25]


def boxes_of(root):
    """Place, size and radius of each box that is no legend's, by its label."""
    found = {}
    for group in root.findall(f"{SVG}g"):
        for box in group.findall(f"{SVG}rect"):
            label = box.find(f"{SVG}title").text.partition(":")[0], box.get("rx")
            assert label not in found
            found[label] = [float(box.get(key)) for key in ("x", "y", "width", "height")]
    return found
