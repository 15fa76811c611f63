"""Loads of a network's channels under the rates of a user."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from ..errors import ConfigurationError
from ..topology import Topology
from .base import Routing

if TYPE_CHECKING:
    from .walks.loads import DestinationShares, WalkedLoads


def channel_loads(routing: Routing, traffic: object = None) -> np.ndarray:
    """Flits per cycle on each channel; see `Network.channel_loads`."""
    return all_loads(routing, traffic).links


def all_loads(routing: Routing, traffic: object = None) -> "WalkedLoads":
    """Flits per cycle on each channel, and those that nodes send and receive."""
    topology = routing.topology
    if routing.level_tree is not None or not topology.is_direct:
        raise ConfigurationError(
            f"{topology.name}: channel_loads must have a network whose packets have one path each"
        )
    from .walks.loads import walked_loads  # compiled

    rows = _uniform(topology) if traffic is None else _rows(topology, traffic)
    return walked_loads(routing, rows)


def _uniform(topology: Topology) -> "Iterator[DestinationShares]":
    """A flit per cycle from every node, to all others to which it may send alike."""
    from .walks.loads import DestinationShares

    for node in range(topology.nodes):
        others = np.array([to for to in topology.receivers(node) if to != node], np.int64)
        yield DestinationShares(node, others, np.full(len(others), 1 / max(len(others), 1)))


def _rows(topology: Topology, traffic: object) -> "Iterable[DestinationShares]":
    from .walks.loads import DestinationShares

    name, nodes = topology.name, topology.nodes
    has_shares = isinstance(traffic, list | tuple) and any(
        isinstance(row, DestinationShares) for row in traffic
    )
    if isinstance(traffic, np.ndarray | list | tuple) and not has_shares:
        try:
            rates = np.asarray(traffic, float)
        except (TypeError, ValueError):  # rows of several lengths, or what is no number
            rates = np.empty(0)
        if rates.shape != (nodes, nodes) or not ((rates >= 0) & np.isfinite(rates)).all():
            raise ConfigurationError(
                f"{name}: the rates of channel_loads must be {nodes} rows of {nodes} numbers of 0 "
                f"or more"
            )
        return _of_matrix(rates)
    if isinstance(traffic, str) or not isinstance(traffic, Iterable):
        raise ConfigurationError(
            f"{name}: the traffic of channel_loads must be a matrix of rates, or rows of "
            f"destinations and shares, not {traffic!r}"
        )
    return cast("Iterable[DestinationShares]", traffic)


def _of_matrix(rates: np.ndarray) -> "Iterator[DestinationShares]":
    from .walks.loads import DestinationShares

    for node, row in enumerate(rates):
        destinations = np.nonzero(row)[0]
        yield DestinationShares(node, destinations, row[destinations])
