"""Rates between all pairs of nodes, of traffic that needs not be drawn."""

import numpy as np

from ..parameters.patterns import Pattern
from ..topology import Topology
from ..topology.altered import Classed
from .scheduling.messages import named_permutation, tornado


def pattern_rates(pattern: Pattern, topology: Topology) -> np.ndarray:
    """Flits per cycle from the node of a row to that of a column, one from each node, float64.

    Raises
    ------
    ConfigurationError
        A permutation that is not defined for the network's nodes.
    """
    if isinstance(topology, Classed):  # streams of class k stand behind those of k - 1
        return np.kron(np.eye(topology.traffic_classes), pattern_rates(pattern, topology.unaltered))
    nodes = topology.nodes
    if pattern.traffic == "uniform":
        return (1 - np.eye(nodes)) / max(nodes - 1, 1)
    rates = np.zeros((nodes, nodes))
    rates[np.arange(nodes), _destinations(pattern, topology)] = 1
    return rates


def _destinations(pattern: Pattern, topology: Topology) -> np.ndarray:
    if pattern.traffic == "tornado":
        return tornado(topology)
    # The permutation `random` is that of simulations and sweeps whose seed is not named.
    rng = np.random.default_rng([1, 5])
    name = pattern.permutation or pattern.traffic
    return named_permutation(topology.nodes, name, rng, owner=pattern.name)
