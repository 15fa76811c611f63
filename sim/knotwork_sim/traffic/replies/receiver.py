"""What a node must know to reply: whose request a packet is."""

import numpy as np
from knotwork.network import Network

from ..addresses import node_addresses
from ..packets import Packets


class Receiver:
    """Nodes that find the flow of each request in the beats that they take, and in nothing else.

    The address that comes with a packet tells its source; the lowest bit of its first beat tells a
    reply from a request. No node gets the beats of two packets in turns.

    Parameters
    ----------
    codes : ndarray
        Address of each node, int64.
    """

    def __init__(self, packets: Packets, codes: np.ndarray) -> None:
        self._flows: dict[tuple[int, int], int] = {}
        self._is_reply: dict[int, bool] = {}
        self.is_needed = packets.replies is not None
        if packets.replies is not None:
            requests = np.flatnonzero(packets.replies.flow >= 0)
            source, destination = codes[packets.source[requests]], packets.destination[requests]
            pairs = zip(destination.tolist(), source.tolist(), strict=True)
            self._flows = dict(zip(pairs, packets.replies.flow[requests].tolist(), strict=True))

    @classmethod
    def of(cls, network: Network, packets: Packets) -> "Receiver":
        """Nodes of a network."""
        return cls(packets, node_addresses(network.topology))

    def take(self, node: int, source: int, data: int, *, last: bool) -> int:
        """Flow whose reply a node owes after this beat; -1 for none."""
        is_reply = self._is_reply.setdefault(node, bool(data & 1))
        if not last:
            return -1
        del self._is_reply[node]
        return -1 if is_reply else self._flows.get((node, source), -1)
