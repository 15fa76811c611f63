"""Loads of a network's channels under rates that a user gives."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from ..errors import ConfigurationError
from .base import Routing

if TYPE_CHECKING:
    from .walks.loads import DestinationShares


def channel_loads(routing: Routing, traffic: object = None) -> np.ndarray:
    """Flits per cycle on each channel; see `Network.channel_loads`."""
    topology = routing.topology
    if routing.level_tree is not None or not topology.is_direct:
        raise ConfigurationError(
            f"{topology.name}: channel_loads must have a network whose packets have one path each"
        )
    from .walks.loads import walked_loads  # compiled

    if traffic is None:
        nodes = topology.nodes
        traffic = (np.ones((nodes, nodes)) - np.eye(nodes)) / max(nodes - 1, 1)
    rows = _rows(topology.name, topology.nodes, traffic)
    return walked_loads(routing, rows).links


def _rows(name: str, nodes: int, traffic: object) -> "Iterable[DestinationShares]":
    from .walks.loads import DestinationShares

    is_told = isinstance(traffic, list | tuple) and any(
        isinstance(row, DestinationShares) for row in traffic
    )
    if isinstance(traffic, np.ndarray | list | tuple) and not is_told:
        rates = np.asarray(traffic, float)
        if rates.shape != (nodes, nodes) or not (rates >= 0).all():
            raise ConfigurationError(
                f"{name}: the rates of channel_loads must be {nodes} rows of {nodes} numbers of 0 "
                f"or more"
            )
        return _of_matrix(rates)
    if not isinstance(traffic, Iterable):
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
