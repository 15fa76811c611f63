"""Boxes of routers and nodes in a drawing, and the links between them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from ..topology import Topology
from .curves import clearances, fitting


def nodes_at_ports(topology: Topology) -> np.ndarray:
    """Node with a box of its own behind each port, int32 of shape (routers, ports); -1 for none.

    Nodes have boxes of their own unless each router serves the one of its number.
    """
    nodes = topology.attached
    if not (nodes >= 0).any() and not topology.is_one_to_one:
        nodes = nodes.copy()
        nodes[:, : topology.local_ports] = topology.local_nodes
    return nodes


def has_node_boxes(topology: Topology) -> bool:
    """Whether nodes have boxes beside those of routers, and links to them."""
    return bool((nodes_at_ports(topology) >= 0).any())


def box_of(topology: Topology, node: int) -> int:
    """Box of a node: its router's, or its own box, numbered after those of the routers."""
    return topology.routers + node if has_node_boxes(topology) else topology.router_of(node)


@dataclass(frozen=True)
class Link:
    """Link as it is drawn.

    Members
    -------
    ends : (int, int)
        The two boxes: routers, or a router and a node.
    ports : (int, int)
        Port at each end; a node's links are numbered from 0.
    port : int
        Port that names it: the lower one, or the router's if the link leads to a node; -1 where
        only its mark does.
    kind : int
        Kind that colours it (`Topology.link_kinds`); 0 if it leads to a node.
    marked : bool
        Whether the topology marks it as special (`Topology.is_link_marked`).
    latency : int
        Cycles that a flit is on it.
    begin : (int, int)
        Router and port that its `id` in a picture names; (-1, -1) where it has none.
    """

    ends: tuple[int, int]
    ports: tuple[int, int]
    port: int
    kind: int
    marked: bool
    latency: int = 1
    begin: tuple[int, int] = (-1, -1)

    @property
    def id(self) -> str:
        """Name of its element in a picture; empty for none."""
        router, port = self.begin
        return f"link-{router}-{port}" if router >= 0 else ""


def links_of(topology: Topology) -> list[Link]:
    """Every link between routers once, from its lower router; then the links to nodes.

    A one-way link stands at the router that sends.
    """
    neighbours, peers = topology.neighbours, topology.peer_ports
    latency = topology.link_latency
    links = []
    for router, port in np.argwhere(neighbours >= 0).tolist():
        far, far_port = int(neighbours[router, port]), int(peers[router, port])
        if topology.is_one_way or (router, port) < (far, far_port):
            marked = topology.is_link_marked(router, port)
            ports, kind = (port, far_port), topology.link_kind(router, port)
            cycles = 1 if latency is None else int(latency[router, port])
            ends, begin = (router, far), (router, port)
            links.append(Link(ends, ports, min(ports), kind, marked, cycles, begin))
    used: Counter[int] = Counter()
    nodes = nodes_at_ports(topology)
    for router, port in np.argwhere(nodes >= 0).tolist():
        node = int(nodes[router, port])
        ends, ports = (router, topology.routers + node), (port, used[node])
        links.append(Link(ends, ports, port, kind=0, marked=False, begin=(router, port)))
        used[node] += 1
    return links


_LETTER = 7.9  # width of a letter of a label, in pixels
_LONG = 7  # letters of the longest label in one line
LINE = 16.0
"""Height of a line of a label, in pixels."""
_AIR = 9.0  # between a box's rim and a line that passes, in pixels
_IN_COLUMNS = np.array([_AIR, 3.0])  # the same where no link passes between nodes in a column
_LINK = np.array([25.0, 18.0])  # half of what is seen of a link at least, across and down
ROOM = 4.0
"""Between a box's rim and a link that passes, in pixels."""
_OVER = 0.25  # of half a box: how near to its middle a link passes over it
_BLOCKED = 0.05  # share of links that may have to bow round nodes before the drawing grows ...
_LARGEST = 1.6  # ... if a smaller factor than this is enough for that


def _address(topology: Topology, node: int) -> str:
    return f"{topology.address(node):0{topology.address_width}b}"


TEXTS: Mapping[str, Callable[[Topology, int], str]] = {
    "label": lambda topology, node: topology.label(node),
    "index": lambda _, node: str(node),
    "address": _address,
}
"""What the box of a node can say: its label, its index, or the address that the hardware has."""


class Ids(NamedTuple):
    """Names of a box's elements in a picture, for pages that light them up; empty for none.

    Members
    -------
    router : str
        Of the group of box and label, ``router-<index>``, where the box stands for a router.
    node : str
        Of the box, ``node-<index>``, where it stands for a node.
    """

    router: str
    node: str


class BoxNames(NamedTuple):
    """What the boxes of a network say, and how large they are: routers, then nodes apart.

    Members
    -------
    labels, tips : tuple of str
        Text in each, and the text shown when it is pointed at.
    ids : tuple of Ids
        Names of their elements.
    halves : ndarray
        Half width and half height of each in pixels, (boxes, 2).
    """

    labels: tuple[str, ...]
    tips: tuple[str, ...]
    ids: tuple[Ids, ...]
    halves: np.ndarray

    @classmethod
    def of(cls, topology: Topology, text: str = "label") -> Self:
        """Names of a network's boxes; those of nodes say one of `TEXTS`."""
        labels = tuple(map(topology.router_label, range(topology.routers)))
        said = TEXTS[text]
        if not has_node_boxes(topology):
            tips = tuple(f"{label}: index {router}" for router, label in enumerate(labels))
            if text != "label":
                labels = tuple(said(topology, node) for node in range(topology.nodes))
            ids = tuple(Ids(f"router-{number}", f"node-{number}") for number in range(len(labels)))
            return cls(labels, tips, ids, np.tile(_half(labels), (len(labels), 1)))
        names = tuple(said(topology, node) for node in range(topology.nodes))
        node_labels = tuple(map(topology.label, range(topology.nodes)))
        tips = tuple(
            f"{label}: {what} {number}"
            for what, of_kind in (("router", labels), ("node", node_labels))
            for number, label in enumerate(of_kind)
        )
        halves = np.repeat([_half(labels), _half(names)], [len(labels), len(names)], axis=0)
        ids = [Ids(f"router-{router}", "") for router in range(len(labels))]
        ids += [Ids("", f"node-{node}") for node in range(len(names))]
        return cls(labels + names, tips, tuple(ids), halves)


@dataclass(frozen=True)
class Boxes:
    """A box for each router, and after them one for each node where those are not the same.

    Members
    -------
    labels, tips : tuple of str
        Text in each, and the text shown when it is pointed at.
    ids : tuple of Ids
        Names of their elements.
    halves : ndarray
        Half width and half height of each in pixels, (boxes, 2).
    places : ndarray
        Position of each one's middle, (boxes, 2).
    routers : sequence of int
        Boxes of routers that are not nodes; none in a direct network.
    nodes : sequence of int
        Boxes of nodes.
    """

    labels: tuple[str, ...]
    tips: tuple[str, ...]
    ids: tuple[Ids, ...]
    halves: np.ndarray
    places: np.ndarray
    routers: Sequence[int]
    nodes: Sequence[int]

    @classmethod
    def of(cls, topology: Topology, ends: np.ndarray, text: str = "label") -> Self:
        """Boxes of a network, as close as they may be.

        `ends` names two per link, (links, 2); `text` is what nodes say, one of `TEXTS`.
        """
        names, layout = BoxNames.of(topology, text), np.asarray(topology.layout(), float)
        count = topology.routers
        if not has_node_boxes(topology):
            places = _spread(layout, ends, names.halves[0])
            return cls(*names, places, range(0), range(count))
        places = np.concatenate([layout, topology.node_layout()])
        air = _IN_COLUMNS if topology.has_node_columns else _AIR
        places *= fitting(places, names.halves + air)
        places -= places.min(axis=0)
        return cls(*names, places, range(count), range(count, len(places)))

    def moved(self, by: np.ndarray) -> Self:
        """The same boxes elsewhere."""
        return replace(self, places=self.places + by)

    def spread(self, factor: float) -> Self:
        """The same boxes, farther from each other by a factor."""
        return replace(self, places=self.places * factor)


def label_lines(label: str) -> list[str]:
    """Lines of a label: a long one is parted at the dot that is nearest to its middle."""
    dots = [place for place, letter in enumerate(label) if letter == "."]
    if len(label) <= _LONG or not dots:
        return [label]
    dot = min(dots, key=lambda dot: abs(2 * dot + 1 - len(label)))
    return [label[:dot], label[dot + 1 :]]


def _half(labels: tuple[str, ...]) -> np.ndarray:
    lines = list(map(label_lines, labels))
    letters = max(len(line) for label in lines for line in label)
    return np.array([letters * _LETTER / 2 + 7, 4.0 + LINE / 2 * max(map(len, lines))])


def _spread(layout: np.ndarray, ends: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Layout in pixels: as small as boxes and links allow, larger if that keeps links off boxes."""
    layout = layout * (half + _AIR)
    scale = max(fitting(layout, np.tile(half + _AIR, (len(layout), 1))), 1e-9)
    if len(ends):
        along = np.abs(layout[ends[:, 0]] - layout[ends[:, 1]])
        with np.errstate(divide="ignore"):
            scale = max(scale, float((2 * (half + _LINK) / along).min(axis=1).max()))
    clear = np.sort(scale * clearances(layout / (half + ROOM), ends))
    # A link that passes over the middle of a box does so in a larger drawing too.
    clear = clear[clear > _OVER]
    if len(clear):
        freeing = 1 / float(clear[int(len(clear) * _BLOCKED)])
        scale *= freeing if 1 < freeing < _LARGEST else 1
    places = layout * scale
    return places - places.min(axis=0)
