"""Laws that send all packets of a node to one destination."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.topology import Topology

from .law import Law, Shares


class Fixed(Law):
    """Destination of each node, whether or not it is a permutation."""

    def __init__(self, destinations: np.ndarray) -> None:
        self.destinations = destinations

    @property
    def pairs(self) -> int:
        """One per node."""
        return len(self.destinations)

    def draw(self, rng: np.random.Generator, source: np.ndarray) -> np.ndarray:
        """Destinations of the sources; nothing is drawn."""
        del rng
        return self.destinations[source]

    def shares(self, node: int) -> Shares:
        """All to one."""
        return Shares(self.destinations[node : node + 1].astype(np.int64), np.ones(1))


def tornado(topology: Topology) -> np.ndarray:
    """Destination of each node under ``tornado``, int64.

    In every dimension of k positions a packet goes ceil(k / 2) - 1 positions further, around the
    end of the dimension: nearly half way around a ring.

    Raises
    ------
    ConfigurationError
        A network whose nodes do not stand in dimensions, or in none of more than two.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    table 3.1.
    """
    if max(topology.dimensions, default=0) < 3:
        raise ConfigurationError(
            "traffic: tornado must go with a network that has a dimension of at least 3 nodes in a "
            f"row, such as torus, not {topology.instance_name}"
        )
    rest, weight = np.arange(topology.nodes), 1
    destination = np.zeros(topology.nodes, np.int64)
    for size in topology.dimensions:
        rest, position = np.divmod(rest, size)
        destination += (position + (size + 1) // 2 - 1) % size * weight
        weight *= size
    return destination
