"""Who sends to whom: the destinations of each traffic pattern."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork.topology import Topology

from .keys import Traffic

DRAWN = ("uniform", "neighbour", "hotspot")
"""Patterns that draw the destination of each packet; the others fix it by the source."""

HOTSPOT_SHARE = 0.25
"""Share of the packets of `hotspot` that go to node 0; the others are uniform."""


def fixed_destinations(
    topology: Topology, traffic: Traffic, rng: np.random.Generator
) -> np.ndarray | None:
    """Destination of each node where the pattern fixes it, int64; None where it is drawn.

    Raises
    ------
    ConfigurationError
        A permutation that the network does not have, or ``neighbour`` in a network with routers
        that are not nodes.
    """
    if traffic.traffic == "neighbour" and (topology.attached >= 0).any():
        raise ConfigurationError(
            f"traffic: neighbour must go with a network whose routers are nodes, not "
            f"{topology.instance_name}"
        )
    if traffic.traffic in DRAWN:
        return None
    name = traffic.permutation if traffic.traffic == "permutation" else traffic.traffic
    return named_permutation(topology.nodes, str(name), rng, owner=traffic.name)


def draw_destinations(
    rng: np.random.Generator,
    topology: Topology,
    traffic: Traffic,
    source: np.ndarray,
    permutation: np.ndarray | None,
) -> np.ndarray:
    """Destinations of packets from these sources; `permutation` comes from `fixed_destinations`.

    A multicast or broadcast draws one too, which is not used.
    """
    if permutation is not None:
        return permutation[source]
    nodes = topology.nodes
    if traffic.traffic == "neighbour":
        links = topology.neighbours >= 0
        place = (rng.random(len(source)) * links.sum(axis=1)[source]).astype(np.int64)
        ports = np.argsort(~links, axis=1, kind="stable")
        return topology.neighbours[source, ports[source, place]]
    other = (source + rng.integers(1, max(nodes, 2), len(source))) % nodes
    if traffic.traffic == "hotspot":
        return np.where(rng.random(len(source)) < HOTSPOT_SHARE, 0, other)
    return other
