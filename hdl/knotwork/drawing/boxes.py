"""Boxes of a drawing: what they say, how large they are and where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from ..topology import Topology
from .links import has_node_boxes
from .spacing import clearances, closest, fitting

_LETTER = 7.9  # width of a letter of a label, in pixels
_AIR = 9.0  # between a box's rim and a line that passes, in pixels
_APART = 4.0  # between the middles of neighbouring nodes, in halves of boxes with their air
_BLOCKED = 0.12  # share of links that may have to bow round nodes before the drawing grows ...
_LARGEST = 1.5  # ... and the largest factor by which it grows


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
    def of(cls, topology: Topology) -> Self:
        """Names of a network's boxes."""
        labels = tuple(map(topology.router_label, range(topology.routers)))
        if not has_node_boxes(topology):
            tips = tuple(f"{label}: index {router}" for router, label in enumerate(labels))
            ids = tuple(Ids(f"router-{number}", f"node-{number}") for number in range(len(labels)))
            return cls(labels, tips, ids, np.tile(_half(labels), (len(labels), 1)))
        names = tuple(map(topology.label, range(topology.nodes)))
        tips = tuple(
            f"{label}: {what} {number}"
            for what, of_kind in (("router", labels), ("node", names))
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
    def of(cls, topology: Topology, ends: np.ndarray) -> Self:
        """Boxes of a network, as close as they may be; `ends` names two per link, (links, 2)."""
        names, layout = BoxNames.of(topology), np.asarray(topology.layout(), float)
        count = topology.routers
        if not has_node_boxes(topology):
            places = _spread(layout, ends, names.halves[0])
            return cls(*names, places, range(0), range(count))
        places = np.concatenate([layout, topology.node_layout()])
        places *= fitting(places, names.halves + _AIR)
        places -= places.min(axis=0)
        return cls(*names, places, range(count), range(count, len(places)))

    def moved(self, by: np.ndarray) -> Self:
        """The same boxes elsewhere."""
        return replace(self, places=self.places + by)

    def spread(self, factor: float) -> Self:
        """The same boxes, farther from each other by a factor."""
        return replace(self, places=self.places * factor)


def _half(labels: tuple[str, ...]) -> np.ndarray:
    return np.array([max(map(len, labels)) * _LETTER / 2 + 7, 12.0])


def _spread(layout: np.ndarray, ends: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Layout in pixels: as small as the boxes allow, larger if that keeps links off them."""
    scale = _APART / closest(layout)
    clear = np.sort(clearances(layout, ends))
    if len(clear):
        freeing = 1 / max(clear[int(len(clear) * _BLOCKED)], 1e-9)
        scale = min(max(scale, freeing), _LARGEST * scale)
    places = layout * scale * (half + _AIR)
    return places - places.min(axis=0)
