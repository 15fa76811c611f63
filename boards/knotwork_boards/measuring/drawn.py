"""Packets that the sources of the measuring self-test create, as the gateware draws them."""

from typing import NamedTuple

import numpy as np
from knotwork.topology import Topology

from .patterns import destinations
from .random_words import CREATION, DESTINATION, WORD_WIDTH, random_words
from .settings import Settings


class Drawn(NamedTuple):
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


def draw(topology: Topology, settings: Settings) -> Drawn:
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
        return Drawn(source, to[source], time)
    created = np.bincount(source, minlength=nodes)
    words = random_words(settings.seed, nodes, DESTINATION, int(created.max(initial=0)))
    number = np.arange(len(source)) - np.repeat(np.cumsum(created) - created, created)
    ranges = [topology.receivers(node) for node in range(nodes)]
    first = np.array([to.start for to in ranges])[source]
    size = np.array([choices(to, node) for node, to in enumerate(ranges)])[source]
    chosen = first + (words[source, number] * size >> WORD_WIDTH)
    skips = np.array([skips_itself(to, node) for node, to in enumerate(ranges)])[source]
    return Drawn(source, chosen + (skips & (chosen >= source)), time)


def skips_itself(receivers: range, node: int) -> bool:
    """Whether a uniform destination is any receiver but the node itself."""
    return node in receivers and len(receivers) > 1


def choices(receivers: range, node: int) -> int:
    """Nodes among which a uniform destination is drawn."""
    return len(receivers) - skips_itself(receivers, node)
