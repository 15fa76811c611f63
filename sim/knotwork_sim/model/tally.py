"""What a run counts inside the network, where that is asked for."""

from typing import NamedTuple, Self

import numpy as np
from knotwork.network import Network


class Tally(NamedTuple):
    """Counts that the compiled loops fill; without entries they count nothing.

    Members
    -------
    crossings : ndarray
        Flits that left each router by each output channel, int64: of (router * ports + port) * vcs
        + vc. Port 0 leads to the node.
    hops : ndarray
        Links that the head of each packet or copy crossed, int32.
    """

    crossings: np.ndarray
    hops: np.ndarray

    @classmethod
    def empty(cls) -> Self:
        """Tally that counts nothing."""
        return cls(crossings=np.zeros(0, np.int64), hops=np.zeros(0, np.int32))

    @classmethod
    def of(cls, network: Network, copies: int) -> Self:
        """Tally of all channels of a network, and of so many packets and copies."""
        channels = network.topology.neighbours.size * network.routing.virtual_channels
        return cls(crossings=np.zeros(channels, np.int64), hops=np.zeros(copies, np.int32))
