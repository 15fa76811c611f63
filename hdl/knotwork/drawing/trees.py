"""Pictures of routing trees: the source on top, and a row for each hop."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..routing.walks.paths import routing_tree
from ..topology import Topology
from ..wording import plural
from .boxes import Boxes, BoxNames, Link, box_of, has_node_boxes, links_of, nodes_at_ports
from .curves import Curve
from .highlights import PASSED, SOURCE, Highlight

_APART = 14.0  # between the boxes of a row, in pixels
_ROW = 7.0  # from one row to the next, in half heights of a box, at least
_BROAD = 5.0  # width of a picture, in heights, from which the rows move apart


class _Twig(NamedTuple):
    """Box of the tree: which box of the network it shows, and the twig above it (-1: none)."""

    box: int
    above: int
    link: Link | None
    is_passed: bool = False


@dataclass(frozen=True)
class Tree:
    """Boxes of a routing tree and the links between them, as a picture shows them.

    Members
    -------
    boxes : Boxes
        A box per visit of a router; where nodes are not routers, one for each node too.
    links : list of Link
        From each box to those under it; the numbers of the ends are those of the tree's boxes.
    curves : list of Curve
        Curve of each link.
    shown : Highlight
        Title, and parts of the boxes.
    """

    boxes: Boxes
    links: list[Link]
    curves: list[Curve]
    shown: Highlight


def tree_of(network: Network, source: int, *, limit: int, labels: str = "label") -> Tree:
    """Routing tree of a node, laid out; its nodes say one of `boxes.TEXTS`.

    Raises
    ------
    ConfigurationError
        More boxes than `limit`.
    """
    twigs = _twigs(network, source)
    if len(twigs) > limit:
        raise ConfigurationError(
            f"{network.name}: boxes of a tree must be at most {limit} to be drawn, not {len(twigs)}"
        )
    boxes = _boxes(network.topology, twigs, labels)
    links, curves = [], []
    for number, twig in enumerate(twigs):
        if twig.link is not None:
            ends = twig.above, number
            links.append(replace(twig.link, ends=ends, latency=1))
            curves.append(_drop(*boxes.places[list(ends)]))
    passed = {number: PASSED for number, twig in enumerate(twigs) if twig.is_passed}
    nodes = plural(network.topology.nodes - 1, "node")
    links_or_hops = "link" if has_node_boxes(network.topology) else "hop"
    most = plural(max(_rows(twigs)), links_or_hops)
    title = f"routing tree from {network.topology.label(source)} to {nodes}: at most {most}"
    legend = (SOURCE, PASSED) if passed else (SOURCE,)
    return Tree(boxes, links, curves, Highlight(title, (), passed | {0: SOURCE}, "", legend))


def _twigs(network: Network, source: int) -> list[_Twig]:
    """Boxes of the tree, the root first and each behind the one above it."""
    topology = network.topology
    links = {
        end: link for link in links_of(topology) for end in zip(link.ends, link.ports, strict=True)
    }
    apart = has_node_boxes(topology)
    twigs = [_Twig(box_of(topology, source), -1, None)] if apart else []
    places: list[int] = []
    for visit in routing_tree(network.routing, source):
        above, link = (0 if apart else -1), None
        if visit.before >= 0:
            above = places[visit.before]
            link = links[twigs[above].box, visit.port]
        elif apart:
            link = links[visit.router, _port_of(topology, visit.router, source)]
        places.append(len(twigs))
        twigs.append(_Twig(visit.router, above, link, not (visit.nodes or above < 0 or apart)))
        for node in visit.nodes if apart else ():
            link = links[visit.router, _port_of(topology, visit.router, node)]
            twigs.append(_Twig(box_of(topology, node), places[-1], link))
    return twigs


def _port_of(topology: Topology, router: int, node: int) -> int:
    """Port of a router that leads to a node of its own."""
    return int(np.nonzero(nodes_at_ports(topology)[router] == node)[0][0])


def _rows(twigs: Sequence[_Twig]) -> list[int]:
    """Row of each twig, 0 for the root."""
    rows: list[int] = []
    for twig in twigs:
        rows.append(rows[twig.above] + 1 if twig.above >= 0 else 0)
    return rows


def _boxes(topology: Topology, twigs: Sequence[_Twig], labels: str) -> Boxes:
    """Boxes of the tree: rows by hops, each box over the middle of those under it."""
    names, boxes = BoxNames.of(topology, labels), [twig.box for twig in twigs]
    half = np.max([names.halves[box] for box in boxes], axis=0)
    columns, rows = _columns(twigs), np.array(_rows(twigs))
    across = columns * (2 * half[0] + _APART)
    row = max(_ROW * half[1], float(np.ptp(across)) / _BROAD / max(int(rows.max()), 1))
    is_router = [box < topology.routers and has_node_boxes(topology) for box in boxes]
    return Boxes(
        labels=tuple(names.labels[box] for box in boxes),
        tips=tuple(names.tips[box] for box in boxes),
        ids=tuple(names.ids[box] for box in boxes),
        halves=np.tile(half, (len(boxes), 1)),
        places=np.stack([across, rows * row], axis=1),
        routers=[number for number, is_mere in enumerate(is_router) if is_mere],
        nodes=[number for number, is_mere in enumerate(is_router) if not is_mere],
    )


def _columns(twigs: Sequence[_Twig]) -> np.ndarray:
    """Column of each twig: leaves stand side by side, and the largest branch is on the left."""
    under: list[list[int]] = [[] for _ in twigs]
    for number, twig in enumerate(twigs[1:], start=1):
        under[twig.above].append(number)
    size, broad = np.ones(len(twigs), int), np.array([not below for below in under], int)
    for number in range(len(twigs) - 1, 0, -1):  # each twig stands behind the one above it
        size[twigs[number].above] += size[number]
        broad[twigs[number].above] += broad[number]
    left, columns = np.zeros(len(twigs), int), np.zeros(len(twigs))
    for number, below in enumerate(under):
        at = left[number]
        for one in sorted(below, key=lambda one: -size[one]):
            left[one] = at
            at += broad[one]
    for number in range(len(twigs) - 1, -1, -1):
        middles = columns[under[number]]
        columns[number] = (middles.min() + middles.max()) / 2 if len(middles) else left[number]
    return columns


def _drop(first: np.ndarray, last: np.ndarray) -> Curve:
    """Curve that leaves a box downwards and comes to the next one from above."""
    half = np.array([0.0, (last - first)[1] / 2])
    return Curve(first, first + half, last - half, last)
