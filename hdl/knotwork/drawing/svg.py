"""Drawings of networks: SVG with links coloured by kind, and what is highlighted over them.

Pages light up what they find by its ``id``: the group of a router's box and label is
``router-<index>``, the box of a node ``node-<index>`` (inside its router's group where both are
one box), and the path of a link ``link-<router>-<port>``. A link is named by the end that
`links.links_of` meets first: the lower router, and the lower port of it where both ends are at one
router; the sender of a one-way link; the router of a node's link. Where a picture shows something
several times (panels, routing trees, unfolded views), the first drawing of it has the ``id``.

"""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..parameters import format_value
from ..routing.multicast import XOR
from ..topology import Topology
from ..wording import plural
from .boxes import ROOM, Boxes, Link, has_node_boxes, links_of
from .curves import Curve, clearances, link_curves
from .highlights import (
    Highlight,
    highlight_broadcast,
    highlight_collectives,
    highlight_messages,
    highlight_multicast,
    highlight_route,
)
from .marks import FAINT, FONT, MARGIN, PAPER, Legend, add_text
from .panels import Grid, Panel
from .trees import tree_of
from .unfolded import unfolded_panel

ROUTER_LIMIT = 1024
"""Routers, and nodes where those are not the same, of the largest network that is drawn."""

STEPS_LIMIT = 4096
"""Boxes of all panels of a drawing of several steps."""

_HEAD = 78  # pixels above the drawing, for the titles
_READABLE = 1000.0  # width in pixels from which the titles and the legend grow with the picture
_SPREADS = (1.0, 1.25, 1.5, 1.8, 2.2)  # tried in turn until no link passes under a box ...
_BADGED = 1.6  # spread that has room for two badges on every link
_SHORT = 5  # letters of a badge that every link has room for ...
_LABELLED = 1.9  # ... and the spread for longer ones
_MOST_SPREAD = 256  # ... in drawings of so many boxes; of more, every other of them, and what
# lets all straight links pass.


def draw_network(
    network: Network,
    *,
    route: tuple[int, int] | None = None,
    multicast: tuple[int, Collection[int]] | None = None,
    order: str = XOR,
    broadcast: int | None = None,
    tree: int | None = None,
    messages: Sequence[tuple[int, int]] | None = None,
    collectives: int | None = None,
    unfolded: bool = False,
    labels: str = "label",
) -> str:
    """SVG of a network.

    Parameters
    ----------
    network : Network
        What to draw.
    route : (int, int), optional
        Source and destination of a packet whose path is shown: hops numbered, with their virtual
        channels.
    multicast : (int, collection of int), optional
        Instead, source and destinations of a multicast, shown with the numbers of its rounds.
    order : str
        Order of the multicast's chain, one of `routing.multicast.ORDERS`.
    broadcast : int, optional
        Instead, source of a broadcast, whose tree is shown with the steps of its copies.
    tree : int, optional
        Instead of the network itself, the tree of all paths from a node, a row per hop.
    messages : sequence of (int, int), optional
        Instead, sources and destinations of packets whose paths are shown, by their numbers from 1.
    collectives : int, optional
        Instead, number of a group that has collectives, whose tree is shown.
    unfolded : bool
        Instead of the network itself, its unfolded view, with the path of a `route` if there is
        one.
    labels : str
        What the boxes of nodes say, one of `boxes.TEXTS`.

    Raises
    ------
    ConfigurationError
        More routers than a drawing can show; a multicast, a broadcast, a group or an unfolded view
        that cannot be.
    """
    topology = network.topology
    require_size(network)
    if unfolded:
        panel = unfolded_panel(network, route, limit=ROUTER_LIMIT, labels=labels)
        return _Picture(network, [panel]).text()
    shown = highlight_route(network, *route) if route else None
    if multicast:
        shown = highlight_multicast(network, *multicast, order)
    if messages is not None:
        shown = highlight_messages(network, messages)
    if broadcast is not None:
        shown = highlight_broadcast(network, broadcast)
    if collectives is not None:
        shown = highlight_collectives(network, collectives)
    if tree is not None:
        drawn = tree_of(network, tree, limit=ROUTER_LIMIT, labels=labels)
        panel = Panel(topology, drawn.links, drawn.boxes, drawn.curves, drawn.shown)
        return _Picture(network, [panel]).text()
    links = links_of(topology)
    longest = max((len(arrow.badge) for arrow in shown.arrows), default=0) if shown else 0
    wider = 1.0 if longest <= _SHORT else _LABELLED
    laid_out = _laid_out(topology, links, wider, labels=labels)
    return _Picture(network, [Panel(topology, links, *laid_out, shown)]).text()


def require_size(network: Network) -> None:
    """Refuse a network that is too large to be drawn.

    Raises
    ------
    ConfigurationError
        More than `ROUTER_LIMIT` boxes.
    """
    topology = network.topology
    apart = has_node_boxes(topology)
    boxes = topology.routers + topology.nodes * apart
    if boxes > ROUTER_LIMIT:
        what = "routers and nodes" if apart else "routers"
        raise ConfigurationError(
            f"{network.name}: {what} must be at most {ROUTER_LIMIT} to be drawn, not {boxes}"
        )


def draw_steps(
    network: Network, steps: Sequence[Highlight], title: str, *, labels: str = "label"
) -> str:
    """SVG of a network once per step, with what happens in it.

    Parameters
    ----------
    network : Network
        What to draw, with the routing that is named.
    steps : sequence of Highlight
        What `steps.highlight_steps` made, at least one.
    title : str
        What all of them show.
    labels : str
        What the boxes of nodes say, one of `boxes.TEXTS`.

    Raises
    ------
    ConfigurationError
        More boxes in all panels than a drawing can show.
    """
    topology, links = network.topology, links_of(network.topology)
    boxes = len(steps) * (topology.routers + topology.nodes * has_node_boxes(topology))
    if boxes > STEPS_LIMIT:
        raise ConfigurationError(
            f"{network.name}: boxes of {plural(len(steps), 'step')} must be at most {STEPS_LIMIT} "
            f"to be drawn in one picture, not {boxes}; --step draws one, --frames a file per step"
        )
    places, curves = _laid_out(topology, links, _BADGED, labels=labels)
    panels = [Panel(topology, links, places, curves, shown) for shown in steps]
    whole = f"{title}, {steps[0].title}" if len(steps) == 1 else title
    return _Picture(network, panels, whole).text()


class _Titles(NamedTuple):
    """Two lines above a picture."""

    network: str
    shown: str


class _Picture:
    """One picture in the making."""

    def __init__(self, network: Network, panels: Sequence[Panel], title: str | None = None) -> None:
        self.network, self.topology = network, network.topology
        self.panels, self.title = panels, title
        self.root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg")

    def text(self) -> str:
        """Whole document."""
        first = self.panels[0]
        titles = self._titles()
        legend = Legend.of(self.topology, first.links, first.shown, first.mark)
        grid = Grid.of(self.panels)
        letters = max(1.0, grid.size[0] / _READABLE)  # the words grow with the picture
        top, bottom = letters * _HEAD + MARGIN, letters * (34 + legend.height)
        widest = max(13.0 * len(titles.network), 8.6 * len(titles.shown), legend.width)
        width = max(grid.size[0] + 2 * MARGIN, letters * (widest + 2 * MARGIN))
        height = grid.size[1] + top + MARGIN / 2 + bottom
        corner = np.array([(width - grid.size[0]) / 2, top])
        self.root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
        self.root.set("width", f"{width:.0f}")
        self.root.set("height", f"{height:.0f}")
        self.root.set("font-family", FONT)
        ET.SubElement(self.root, "title").text = titles.network
        ET.SubElement(self.root, "rect", width="100%", height="100%", fill=PAPER)
        head = _scaled(self.root, 0.0, letters)
        add_text(head, MARGIN, 42, titles.network, size="21", weight="bold")
        add_text(head, MARGIN, 66, titles.shown, size="13.5", fill=FAINT)
        grid.draw(self.root, corner)
        legend.draw(_scaled(self.root, height - bottom, letters), 30)
        _keep_first_ids(self.root)
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"

    def _titles(self) -> _Titles:
        keys = " ".join(
            f"{key}={format_value(value)}" for key, value in self.topology.as_dict().items()
        )
        size = [plural(self.topology.nodes, "node")]
        if self.panels[0].boxes.routers:
            size.append(plural(self.topology.routers, "router"))
        links = [link for link in self.panels[0].links if link.kind > 0]
        size.append(plural(len(links), "link"))
        if any(link.latency > 1 for link in links):
            size.append("numbers on links: their cycles")
        highlight = self.panels[0].shown
        shown = self.title or (highlight.title if highlight else ", ".join(size))
        return _Titles(
            f"{self.topology.name} {keys}", f"{shown}, routing={self.network.routing.name}"
        )


def _laid_out(
    topology: Topology, links: list[Link], wider: float = 1.0, *, labels: str
) -> tuple[Boxes, list[Curve]]:
    """Boxes and the curves between them, as close as keeps links off foreign boxes; or wider."""
    ends = np.array([link.ends for link in links], int).reshape(-1, 2)
    boxes = Boxes.of(topology, ends, labels).spread(wider)
    spreads = _SPREADS
    if len(boxes.labels) > _MOST_SPREAD:
        room = boxes.halves.max(axis=0, initial=0) + ROOM
        clear = float(clearances(boxes.places / room, ends).min(initial=1.0))
        passing = float(np.clip(1.001 / max(clear, 1e-9), 1.0, _SPREADS[-1]))
        spreads = sorted({*_SPREADS[::2], passing})
    for parted in map(boxes.spread, spreads[:-1]):
        curves, blocked = link_curves(parted.places, ends, parted.halves + ROOM, most=0)
        if not blocked:
            return parted, curves
    widest = boxes.spread(spreads[-1])
    return widest, link_curves(widest.places, ends, widest.halves + ROOM).curves


def _keep_first_ids(root: ET.Element) -> None:
    """Take their ``id`` from all elements but the first of that name."""
    met: set[str] = set()
    for element in root.iter():
        name = element.get("id")
        if name in met:
            del element.attrib["id"]
        elif name:
            met.add(name)


def _scaled(parent: ET.Element, top: float, scale: float) -> ET.Element:
    """Group that begins at a height, in which everything is larger by a factor."""
    if scale == 1.0 and top == 0.0:
        return parent
    return ET.SubElement(parent, "g", transform=f"translate(0 {top:.1f}) scale({scale:.3f})")


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
