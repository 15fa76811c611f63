"""Networks made from other networks: with several nodes per router, without some of their parts."""

from ..base import Topology
from .several_nodes import SeveralNodes, with_nodes
from .surviving import Surviving, without

ALTERATIONS = {"nodes_per_router": with_nodes, "dead": without}
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


__all__ = ["ALTERATIONS", "SeveralNodes", "Surviving", "altered", "with_nodes", "without"]
