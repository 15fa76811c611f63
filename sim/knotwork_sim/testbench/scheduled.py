"""Permutations that a network can carry out: the rounds of their schedules, or their tables."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.emit.ports import config_widths
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.batch import table_of
from knotwork.routing.scheduling.rounds import schedule
from knotwork.routing.scheduling.schedule import SchedulingRouting

from ..traffic.jump_tables import Loading


class Message(NamedTuple):
    """Packet of a round.

    Members
    -------
    source, destination : int
        Nodes.
    word : tuple of int
        Upper to take on each level; -1 from the level on from which it goes down.
    """

    source: int
    destination: int
    word: tuple[int, ...]


def rounds(network: Network, destinations: Sequence[int]) -> list[list[Message]]:
    """Rounds that send a packet of every node to its destination, each in one network cycle.

    Raises
    ------
    ConfigurationError
        A network whose packets do not name their path.
    """
    tree = network.routing.level_tree
    if tree is None or not network.routing.word_layout:
        raise ConfigurationError(
            f"{network.name}: rounds must be used with routing=scheduled, not "
            f"{network.routing.name}"
        )
    sources = np.arange(network.topology.nodes)
    found = schedule(tree, sources, np.asarray(destinations, np.int64))
    return [
        [
            Message(a, b, tuple(word))
            for a, b, word in zip(*map(np.ndarray.tolist, each), strict=True)
        ]
        for each in found
    ]


def table_entries(network: Network, destinations: Sequence[int]) -> list[int]:
    """Table by which a network of batches carries out a permutation: `tdata` of each beat.

    Raises
    ------
    ConfigurationError
        A network that takes no table, or what is no permutation of its nodes.
    """
    widths, order = config_widths(network), np.asarray(destinations, np.int64)
    if not widths:
        raise no_batches(network)
    if sorted(order.tolist()) != list(range(network.topology.nodes)):
        raise ConfigurationError(
            f"{network.name}: a permutation must name each node once, not {order.tolist()}"
        )
    buddy = widths["tdata"] - 1
    return [jump << buddy | other for jump, other in Loading.of(table_of(order)).entries]


def no_batches(network: Network) -> ConfigurationError:
    """A network that takes no table."""
    return ConfigurationError(
        f"{network.name}: a table must be used with batches, not with "
        f"routing={network.routing.name}"
    )


def random_permutation(network: Network) -> list[int]:
    """Destination of each node in a random permutation that the network can carry out."""
    routing = network.routing
    if isinstance(routing, SchedulingRouting):
        dice = np.random.default_rng(random.getrandbits(64))
        return routing.random_permutation(dice).tolist()
    return random.sample(range(network.topology.nodes), network.topology.nodes)
