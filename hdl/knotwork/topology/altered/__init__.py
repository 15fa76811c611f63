"""Networks made from others: with several nodes per router, with classes, without some parts."""

from ..base import Topology
from .added_ports import AddedLocalPorts, Classed, SeveralNodes, with_classes, with_nodes
from .surviving import Surviving, without

ALTERATIONS = {"nodes_per_router": with_nodes, "dead": without, "classes": with_classes}
"""What makes a network from another one, by the key that asks for it."""


def altered(topology: Topology, texts: dict[str, object]) -> Topology:
    """Network that keys ask for, which are taken out of `texts`.

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
