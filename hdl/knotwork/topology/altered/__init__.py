"""Altered networks: with several nodes per router, with traffic classes, without dead parts."""

from ..base import Topology
from .added_ports import AddedLocalPorts, Classed, SeveralNodes, with_classes, with_nodes
from .surviving import Surviving, without

ALTERATIONS = {"nodes_per_router": with_nodes, "dead": without, "classes": with_classes}
"""Function that alters a network, by the key that requests it."""


def altered(topology: Topology, texts: dict[str, object]) -> Topology:
    """Network altered as keys request, which are taken out of `texts`.

    Raises
    ------
    ConfigurationError
        A key's value does not fit the network.
    """
    for key, alter in ALTERATIONS.items():
        if key in texts:
            topology = alter(topology, texts.pop(key))
    return topology


__all__ = [
    "ALTERATIONS",
    "AddedLocalPorts",
    "Classed",
    "SeveralNodes",
    "Surviving",
    "altered",
    "with_classes",
    "with_nodes",
    "without",
]
