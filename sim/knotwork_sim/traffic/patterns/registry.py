"""Laws of all patterns, by the name that users write."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.messages import named_permutation
from knotwork.topology import Topology
from knotwork.topology.altered import Classed

from ..given import RateMatrix
from ..keys import Traffic
from .classed import ByClass
from .fixed import Fixed, tornado
from .law import Law
from .measured import Measured
from .mixed import Mixed
from .spread import Hotspot, Neighbour, Uniform

LawMaker = Callable[[Topology, Traffic, np.random.Generator], Law]
"""Function that makes the law of a pattern; it may draw."""


def _permutation(name: str | None) -> LawMaker:
    """Maker of a permutation with a name; of the traffic's own if None."""

    def make(topology: Topology, traffic: Traffic, rng: np.random.Generator) -> Law:
        chosen = str(traffic.permutation) if name is None else name
        return Fixed(named_permutation(topology.nodes, chosen, rng, owner=traffic.name))

    return make


LAWS: dict[str, LawMaker] = {
    "uniform": lambda topology, _traffic, _rng: Uniform(topology),
    "complement": _permutation("complement"),
    "transpose": _permutation("transpose"),
    "reversal": _permutation("reversal"),
    "shuffle": _permutation("shuffle"),
    "neighbour": lambda topology, _traffic, _rng: Neighbour(topology),
    "hotspot": lambda topology, _traffic, _rng: Hotspot(topology),
    "tornado": lambda topology, _traffic, _rng: Fixed(tornado(topology)),
    "bit_rotation": _permutation("bit_rotation"),
    "permutation": _permutation(None),
    "matrix": lambda _topology, traffic, _rng: Measured(RateMatrix.of(traffic.matrix)),
}
"""Makers of all laws; a pattern without one draws no destinations."""


WEIGHTS: dict[str, Callable[[Traffic], np.ndarray]] = {
    "matrix": lambda traffic: RateMatrix.of(traffic.matrix).weights,
}
"""Rate of each node relative to the mean, for patterns in which the nodes differ."""


def make_law(topology: Topology, traffic: Traffic, rng: np.random.Generator) -> Law:
    """Law of a network's traffic; `rng` draws the permutation ``random``.

    Raises
    ------
    ConfigurationError
        A pattern that the network does not have, or a permutation that is none of its nodes.
    """
    if isinstance(topology, Classed):
        law = make_law(topology.unaltered, traffic, rng)
        return ByClass(law, nodes=topology.unaltered.nodes, classes=topology.traffic_classes)
    laws = [LAWS[pattern](topology, traffic, rng) for pattern, _ in traffic.parts]
    if len(topology.sides) > 1:
        for law, (pattern, _) in zip(laws, traffic.parts, strict=True):
            _require_other_side(topology, law, f"{traffic.name}: {pattern}")
    if len(laws) == 1:
        return laws[0]
    return Mixed(laws, _rates(topology.nodes, traffic))


def _require_other_side(topology: Topology, law: Law, what: str) -> None:
    """Refuse the first packets to which the network has no way, those to a node's own side."""
    for node in range(topology.nodes):
        destinations, shares = law.shares(node)
        wrong = destinations[(shares > 0) & ~topology.may_send(node, destinations)]
        if len(wrong):
            raise ConfigurationError(
                f"{what} must send from each side of {topology.instance_name} to the other, not "
                f"from node {node} to node {wrong[0]}"
            )


def node_weights(topology: Topology, traffic: Traffic) -> np.ndarray | None:
    """Rate of each node relative to the mean of all, float64; None where all are the same.

    Raises
    ------
    ConfigurationError
        A matrix for another number of nodes.
    """
    if isinstance(topology, Classed):
        return _class_weights(topology, traffic)
    if traffic.class_rates is not None:
        raise ConfigurationError(
            f"traffic: class_rates must be unnamed without classes of traffic, not "
            f"{traffic.spelled('class_rates')}"
        )
    if traffic.matrix is None:
        return None
    if traffic.matrix.nodes != topology.nodes:
        raise ConfigurationError(
            f"traffic: matrix must have {topology.nodes} rows and columns for "
            f"{topology.instance_name}, not {traffic.matrix.nodes}"
        )
    return _rates(topology.nodes, traffic).sum(axis=0)


def _class_weights(topology: Classed, traffic: Traffic) -> np.ndarray | None:
    """Rate of each stream relative to the mean of all, float64; None where all are the same."""
    count, rates = topology.traffic_classes, traffic.class_rates
    of_nodes = node_weights(topology.unaltered, replace(traffic, class_rates=None))
    if rates is None:
        return None if of_nodes is None else np.tile(of_nodes, count)
    if len(rates) != count:
        raise ConfigurationError(
            f"traffic: class_rates must be {count} rates, one for each class, not "
            f"{traffic.spelled('class_rates')}"
        )
    of_classes = np.array(rates) / np.mean(rates)
    return np.kron(of_classes, np.ones(topology.unaltered.nodes) if of_nodes is None else of_nodes)


def _rates(nodes: int, traffic: Traffic) -> np.ndarray:
    """Rate of each node under each part of the traffic, float64 of shape (parts, nodes)."""
    rates = np.ones((len(traffic.parts), nodes))
    for row, (pattern, share) in enumerate(traffic.parts):
        rates[row] *= share * (WEIGHTS[pattern](traffic) if pattern in WEIGHTS else 1)
    return rates
