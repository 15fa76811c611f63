"""What a notebook shows of a network or a topology: its drawing, or a note in its place."""

from xml.etree import ElementTree as ET

from ..errors import ConfigurationError
from ..network import Network
from ..topology import Topology
from .links import has_node_boxes
from .style import FONT, PAPER, add_text
from .svg import draw_network

LIMIT = 256
"""Routers, and nodes where they are drawn apart, of the largest network that a notebook draws."""


def notebook_picture(shown: object) -> str:
    """SVG of a network, or of a topology with its default routing; a note if it is large."""
    network = shown if isinstance(shown, Network) else None
    topology = shown if isinstance(shown, Topology) else None
    if network is not None:
        topology = network.topology
    if topology is None:
        raise TypeError(f"only a network or a topology can be displayed, not {shown!r}")
    boxes = topology.routers + topology.nodes * has_node_boxes(topology)
    if boxes > LIMIT:
        return _note(f"{shown!r}: {boxes} routers and nodes; a notebook draws at most {LIMIT}.")
    try:
        return draw_network(network or Network(topology))
    except ConfigurationError as error:  # a topology of the user's own that has no routing
        return _note(str(error))


def _note(text: str) -> str:
    """SVG of a line of text."""
    width = 8 * len(text) + 40
    root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", width=f"{width}", height="40")
    ET.SubElement(root, "rect", width="100%", height="100%", fill=PAPER)
    add_text(root, 20, 25, text, family=FONT)
    return ET.tostring(root, encoding="unicode")
