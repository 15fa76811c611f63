"""Packet as a scoreboard knows it."""

from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    """What a packet is; packets of one kind, source and node may have to stay in order."""

    REQUEST = auto()
    """To one node, sent without being asked."""
    REPLY = auto()
    """To the node of the request that called it forth, in whatever cycle that came."""
    MULTICAST = auto()
    """To the nodes of a chain."""
    BROADCAST = auto()
    """To every node."""


class SentPacket(NamedTuple):
    """Packet that a node has sent, or will send.

    Members
    -------
    number : int
        Its place among all packets, from 0.
    source : int
        Node.
    nodes : tuple of int
        Nodes that it must reach, a multicast's in the order of its chain; none if it is refused.
    kind : Kind
        What it is.
    contents : bytes
        Data of its flits, each in whole words of 64 bits.
    flits : int
        Flits of data.
    cycle : int or None
        Cycle from which it is offered; None where that is unknown.
    user : int
        `tuser` with which it must arrive.
    """

    number: int
    source: int
    nodes: tuple[int, ...]
    kind: Kind
    contents: bytes
    flits: int
    cycle: int | None
    user: int = 0

    def data(self, beat: int) -> int:
        """Data of one of its flits."""
        size = len(self.contents) // self.flits
        return int.from_bytes(self.contents[beat * size : (beat + 1) * size], "little")
