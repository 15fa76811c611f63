"""Networks that are made from other networks: those without some of their links and routers."""

from ..base import Topology
from .surviving import Surviving, without

ALTERATIONS = {"dead": without}
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


__all__ = ["ALTERATIONS", "Surviving", "altered", "without"]
