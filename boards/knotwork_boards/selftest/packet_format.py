"""Contents of the self-test's packets, for the sources that write and the checkers that judge."""

from collections.abc import Iterator
from functools import reduce
from itertools import islice
from operator import xor

from amaranth.hdl import Array, Cat, Const, Value
from amaranth.lib import data
from knotwork.errors import ConfigurationError
from knotwork.gateware import eject_layout, inject_layout
from knotwork.network import Network
from knotwork.topology import Topology

BEAT_WIDTH = 2
"""Width of the number of a beat in its packet: packets have 1..4 beats."""

LONGEST_PACKET = 1 << BEAT_WIDTH
"""Beats of the longest packet that the self-test sends."""

WIDEST_WINDOW = 16
"""Most sequence numbers of a flow of which a checker remembers whether they have come."""


def longest_packet(limit: int) -> int:
    """Beats of the longest packet that the self-test sends in a network that takes `limit`."""
    return max(length for length in (1, 2, LONGEST_PACKET) if length <= limit)


class PacketFormat:
    """Contents of the self-test's packets.

    The first beat carries, from bit 0: the address of the destination, the sequence number in the
    flow (source, destination), and check bits over both, the source and `last`. Every further beat
    mixes sequence number, source, number of the beat and `last`. So the checker notices a flipped
    bit, a beat of another packet, a packet cut short, two packets run together and a wrong source.

    Where packets do not carry their source's address, the first beat does, behind the destination.
    Packets have one beat there.

    In a network with multicasts or broadcasts a packet may be a copy. A bit above the address in
    the first beat says so, and is mixed into the other beats. All members get the same copy, so its
    address is the source's, and all copies from one source are one flow.

    Parameters
    ----------
    network : Network
        Network that carries the packets.

    Members
    -------
    packet_in, packet_out : StructLayout
        Payloads of a node's inject and eject streams.
    data_width, address_width : int
        Bits per beat, and bits per address.
    source_width : int
        Bits of the source's address in the first beat: 0 where the packets carry it themselves.
    addresses : tuple of int
        Address of every node.
    in_order : bool
        Whether the packets of a flow keep their order.
    members : int
        Copies that a multicast or broadcast becomes; 0 where the network has neither. A multicast
        goes to the addresses that XOR the source's are the first of `common_distances`, which are
        1..members where each number is an address; a broadcast to all other nodes. With classes of
        traffic both stay in the source's class.
    chained : bool
        Whether the first beats of such a packet name its members: true for multicasts.
    longest_copy : int
        Beats of the longest copy; 0 where there are no copies.

    Raises
    ------
    ConfigurationError
        The data width cannot hold an address, a sequence number and a check bit, and where there
        are copies the bit that marks them.
    """

    def __init__(self, network: Network) -> None:
        topology = network.topology
        width, address_width = network.hardware.data_width, topology.address_width
        self.members: int = 0
        self.longest_copy: int = 0
        self.chained: bool = network.has_multicast
        self._mark: str = "multicast" if self.chained else "broadcast"
        self._distances: list[int] = []
        if self.chained:
            limit = network.longest_copied_packet
            most = min(network.routing.chain_limit, limit - 1)
            self._distances = list(islice(common_distances(topology), most))
            self.members = len(self._distances)
            self.longest_copy = longest_packet(limit - self.members)
        elif network.has_broadcast:
            self.members = len(topology.receivers(0)) - 1
            self.longest_copy = longest_packet(network.longest_copied_packet)
        # Of streams of several classes: bits of an address that name its class.
        self._class_bits: int = (network.traffic_classes - 1).bit_length()
        self.source_width: int = 0 if network.has_source else address_width
        least = address_width + self.copy_width + self.source_width + 4
        if width < least:
            copy = "copy 1, " if self.members else ""
            source = f"source {self.source_width}, " if self.source_width else ""
            raise ConfigurationError(
                f"{network.name}: data_width must be at least {least} for the self-test "
                f"(address {address_width}, {copy}{source}sequence 3, check 1), not {width}"
            )
        self.packet_in: data.StructLayout = inject_layout(network)
        self.packet_out: data.StructLayout = eject_layout(network)
        self.data_width: int = width
        self.address_width: int = address_width
        self.addresses = tuple(map(topology.address, range(topology.nodes)))
        self.receivers = topology.receivers
        self.in_order: bool = network.routing.in_order

    @property
    def copy_width(self) -> int:
        """Width of the bit that marks copies: 1 where there are copies, otherwise 0."""
        return min(self.members, 1)

    @property
    def flow_width(self) -> int:
        """Width of a flow's number: the source's address, then the bit that marks copies."""
        return self.address_width + self.copy_width

    @property
    def sequence_width(self) -> int:
        """Width of a sequence number, 3..8."""
        return min(8, max(3, (self.data_width - self.flow_width - self.source_width) // 2))

    @property
    def window(self) -> int:
        """Sequence numbers that a checker remembers per flow where packets overtake: 4..16."""
        return min(WIDEST_WINDOW, 1 << self.sequence_width - 1)

    def address_of(self, index: Value) -> Value:
        """Address of the node with this index."""
        if self.addresses == tuple(range(len(self.addresses))):
            return index
        return Array(Const(address, self.address_width) for address in self.addresses)[index]

    def mark_of(self, beat: data.View) -> Value:
        """Bit of an injected beat that marks a multicast or broadcast; no bits without either."""
        return beat[self._mark] if self.members else Const(0, 0)

    def is_member(self, source: Value, address: int) -> Value:
        """Whether a copy from `source` is meant for the node with this address."""
        distance = source ^ Const(address, self.address_width)
        if self.chained and not self._is_gapless:
            return distance.matches(*self._distances)
        is_near = distance <= self.members if self.chained else Const(1)
        return (distance != 0) & is_near & (distance[: self._class_bits] == 0)

    @property
    def _is_gapless(self) -> bool:
        """Whether the members of a multicast are those at the distances 1..members."""
        return self._distances == list(range(1, self.members + 1))

    def member_of(self, source: int, number: Value) -> Value:
        """Address of a multicast's member by its number in the chain, 1..members."""
        if self._is_gapless:
            return number ^ Const(source, self.address_width)
        chain = [source, *(source ^ distance for distance in self._distances)]
        return Array(Const(address, self.address_width) for address in chain)[number]

    def destination_of(self, head: Value) -> Value:
        """Destination in a first beat."""
        return head[: self.address_width]

    def copy_of(self, head: Value) -> Value:
        """Bit of a first beat that marks a copy; no bits where there are no copies."""
        return head[self.address_width :][: self.copy_width]

    def sequence_of(self, head: Value) -> Value:
        """Sequence number in a first beat."""
        return head[self.flow_width + self.source_width :][: self.sequence_width]

    def source_of(self, beat: data.View) -> Value:
        """Address of the source of an ejected beat."""
        if self.source_width:
            return beat.data[self.flow_width :][: self.source_width]
        return beat.source

    def head(
        self, *, destination: Value, copy: Value, sequence: Value, source: Value, last: Value
    ) -> Value:
        """First beat of a packet; `copy` has `copy_width` bits."""
        check_width = self.data_width - self.flow_width - self.source_width - self.sequence_width
        check = spread(Cat(sequence, source, destination, copy, last), check_width)
        return Cat(destination, copy, source[: self.source_width], sequence, check)

    def body(
        self, *, copy: Value, sequence: Value, source: Value, beat: Value, last: Value
    ) -> Value:
        """Any beat of a packet after the first."""
        return spread(Cat(sequence, source, copy, beat, last), self.data_width)


def common_distances(topology: Topology) -> Iterator[int]:
    """Numbers that, XOR the address of any node, give the address of another that it may send to.

    They rise, as the members in a multicast's chain must.
    """
    pairs = [(node, topology.address(node)) for node in range(topology.nodes)]
    for distance in range(1, 1 << topology.address_width):
        found = ((node, topology.node_at(address ^ distance)) for node, address in pairs)
        if all(to is not None and to in topology.receivers(node) for node, to in found):
            yield distance


def spread(value: Value, width: int) -> Value:
    """`value` on exactly `width` bits: folded by XOR, or repeated with every other copy inverted.

    Each bit of `value` decides at least one bit of the result.
    """
    if width < len(value):
        return reduce(xor, (value[low : low + width] for low in range(0, len(value), width)))
    copies = -(-width // len(value))
    return Cat(*(~value if copy % 2 else value for copy in range(copies)))[:width]
