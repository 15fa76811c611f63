"""Packets that the sources of the measuring self-test create, as the gateware draws them."""

from typing import NamedTuple

import numpy as np
from knotwork.topology import Topology

from .patterns import destinations
from .random_words import CREATION, DESTINATION, WORD_WIDTH, random_words
from .settings import Settings


class DrawnPackets(NamedTuple):
    """Packets of a window, ordered by source and then by time.

    Members
    -------
    source, destination : ndarray
        Nodes, int64.
    time : ndarray
        Cycle in which the source creates each packet, from the window's start on, int64. It is
        offered to the network from then on, after those before it.
    """

    source: np.ndarray
    destination: np.ndarray
    time: np.ndarray


def draw_packets(topology: Topology, settings: Settings) -> DrawnPackets:
    """Packets that all nodes create in a window with these settings.

    Raises
    ------
    ConfigurationError
        A pattern that the network does not have.
    """
    to, nodes = destinations(topology, settings.pattern), topology.nodes
    words = random_words(settings.seed, nodes, CREATION, settings.span)
    source, time = np.nonzero(words < settings.threshold)
    if to is not None:
        return DrawnPackets(source, to[source], time)
    created = np.bincount(source, minlength=nodes)
    words = random_words(settings.seed, nodes, DESTINATION, int(created.max(initial=0)))
    number = np.arange(len(source)) - np.repeat(np.cumsum(created) - created, created)
    ranges = [topology.receivers(node) for node in range(nodes)]
    first = np.array([to.start for to in ranges])[source]
    size = np.array([choice_count(to, node) for node, to in enumerate(ranges)])[source]
    chosen = first + (words[source, number] * size >> WORD_WIDTH)
    skips = np.array([excludes_sender(to, node) for node, to in enumerate(ranges)])[source]
    return DrawnPackets(source, chosen + (skips & (chosen >= source)), time)


def excludes_sender(receivers: range, node: int) -> bool:
    """Whether a uniform destination is any receiver but the node itself."""
    return node in receivers and len(receivers) > 1


def choice_count(receivers: range, node: int) -> int:
    """Nodes among which a uniform destination is drawn."""
    return len(receivers) - excludes_sender(receivers, node)
