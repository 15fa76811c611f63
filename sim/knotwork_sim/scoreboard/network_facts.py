"""What a scoreboard must know of a network, and the packets that were sent through it."""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import NamedTuple

from knotwork.network import Network
from knotwork.topology import Topology

from ..traffic.packets import node_addresses


class Kind(Enum):
    """What a packet is; packets of one kind, source and node may have to stay in order."""

    REQUEST = auto()
    """To one node, that no request caused."""
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


class Carried:
    """Network that another process may read, where it has the network's classes.

    Members
    -------
    network : Network or None
        None where its classes are not there.
    """

    def __init__(self, network: Network) -> None:
        self.network: Network | None = network

    def __getstate__(self) -> bytes:
        try:
            return pickle.dumps(self.network)
        except (pickle.PicklingError, AttributeError, TypeError):
            return b""  # a class that has no name

    def __setstate__(self, state: bytes) -> None:
        self._state = state

    def __getattr__(self, name: str) -> object:
        # Read when a mismatch reports a packet's route, which needs the network's rule.
        if name != "network" or "_state" not in self.__dict__:
            raise AttributeError(name)
        try:
            self.network = pickle.loads(self._state)
        except Exception:  # a class of the user's own may do anything
            self.network = None
        return self.network


@dataclass(frozen=True)
class NetworkFacts:
    """What a scoreboard must know of a network.

    Members
    -------
    name : str
        Name of its top module.
    codes : tuple of int
        Address of each node.
    width : int
        Bits of a beat's data.
    has_source : bool
        Whether a delivered beat carries its source's address.
    in_order : bool
        Whether packets of one source and destination arrive in the order of their sending.
    sequence_width : int
        Bits of the number that a delivered packet carries, its place in its flow; 0 for none.
    carried : Carried
        The network itself.
    lost_flag : int
        Bit of `tuser` that is set on the last beat of a packet that a dead link cut; 0 where links
        cannot die.
    sent : sequence of SentPacket
        What was sent, by number, where a scoreboard has it: where all packets move together, the
        way of one depends on the others.
    """

    name: str
    codes: tuple[int, ...]
    width: int
    has_source: bool
    in_order: bool
    sequence_width: int
    carried: Carried
    lost_flag: int = 0
    sent: Sequence[SentPacket] = field(default=(), compare=False)

    @classmethod
    def of(cls, network: Network) -> "NetworkFacts":
        """Facts of a network."""
        return cls(
            name=network.name,
            codes=tuple(node_addresses(network.topology).tolist()),
            width=network.hardware.data_width,
            has_source=network.has_source,
            in_order=network.routing.in_order,
            sequence_width=network.sequence_width,
            carried=Carried(network),
            lost_flag=network.lost_flag,
        )

    @cached_property
    def node_at(self) -> dict[int, int]:
        """Node of each address."""
        return {code: node for node, code in enumerate(self.codes)}

    @property
    def topology(self) -> Topology | None:
        """Topology, where the network can be read."""
        return None if self.carried.network is None else self.carried.network.topology

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat's data in a packet's contents: whole words of 64 bits."""
        return -(-self.width // 64) * 8

    def label(self, node: int) -> str:
        """Node as people read it: its index, and its label where that says more."""
        topology = self.topology
        if not 0 <= node < len(self.codes):
            return f"node {node}, which there is none of"
        label = str(node) if topology is None else topology.label(node)
        return f"node {node}" if label == str(node) else f"node {node} (@{label})"

    def contents(self, data: Sequence[int]) -> bytes:
        """Beats of a packet as bytes, each in whole words of 64 bits."""
        return b"".join(int(word).to_bytes(self.beat_bytes, "little") for word in data)

    def key(self, source: int | None, contents: bytes) -> tuple[int | None, bytes]:
        """What a packet is recognised by: its data and, where packets carry it, its source."""
        return (source if self.has_source else None), contents
