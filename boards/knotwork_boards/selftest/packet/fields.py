"""What the packets of the self-test say, for the generator that writes them and the checker."""

from functools import reduce
from operator import xor
from typing import Any

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data
from knotwork.errors import ConfigurationError
from knotwork.gateware import eject_layout, inject_layout
from knotwork.gateware.layouts import has_broadcast, has_multicast
from knotwork.network import Network

BEAT_WIDTH = 2
"""Bits of a beat's number: packets have 1..4 beats."""

WIDEST_WINDOW = 16
"""Numbers of a flow, at most, of which a checker knows whether they have come."""


def longest_packet(limit: int) -> int:
    """Beats of the longest packets that the self-test sends where at most `limit` may be."""
    return max(length for length in (1, 2, 4) if length <= limit)


class PacketFormat:
    """Contents of the self-test's packets.

    The first beat carries, from bit 0: the address of the node it is meant for, the sequence number
    of its flow (source, destination), and check bits over both, the source and `last`. Every
    further beat is a mix of sequence number, source, number of the beat and `last`. So a flipped
    bit, a beat of another packet, a packet cut short or run together and a wrong source all show.

    In a network with multicasts or broadcasts a packet may be a copy of one. A bit above the first
    beat's address says so, and is mixed into the others; the copies of all members are the same, so
    the address is the source's, and the flow is that of all copies of the source.

    Parameters
    ----------
    network : Network
        Network that carries them.

    Members
    -------
    packet_in, packet_out : StructLayout
        Payloads of the streams by which a node injects and ejects.
    data_width, address_width : int
        Bits a beat, and of a node's address in it.
    addresses : tuple of int
        Address of every node.
    in_order : bool
        Whether the packets of a flow keep their order.
    members : int
        Copies that a packet to several becomes; 0 where there are no such packets. A multicast's go
        to the addresses that XOR the source's are 1..members, a broadcast's to all other nodes.
    chained : bool
        Whether the packet's first beats have to name them.
    longest_copy : int
        Beats of the longest copy; 0 where there are none.

    Raises
    ------
    ConfigurationError
        The data width cannot hold an address, a sequence number and a check bit, and the bit that
        tells copies where there are any; or the routers deflect.
    """

    def __init__(self, network: Network) -> None:
        if network.router is not None:
            raise ConfigurationError(
                f"{network.name}: router must be packet for the self-test, not {network.router}"
            )
        width, address_width = network.hardware.data_width, network.topology.address_width
        self.members: int = 0
        self.longest_copy: int = 0
        self.chained: bool = has_multicast(network)
        self._mark: str = "multicast" if self.chained else "broadcast"
        routing: Any = network.routing
        if self.chained:
            limit = routing.options.max_packet
            self.members = min(routing.chain_limit, limit - 1)
            self.longest_copy = longest_packet(limit - self.members)
        elif has_broadcast(network):
            self.members = network.topology.nodes - 1
            self.longest_copy = longest_packet(routing.options.max_packet)
        least = address_width + self.copy_width + 4
        if width < least:
            copy = "copy 1, " if self.members else ""
            raise ConfigurationError(
                f"{network.name}: data_width must be at least {least} for the self-test "
                f"(address {address_width}, {copy}sequence 3, check 1), not {width}"
            )
        self.packet_in: data.StructLayout = inject_layout(network)
        self.packet_out: data.StructLayout = eject_layout(network)
        self.data_width: int = width
        self.address_width: int = address_width
        self.addresses = tuple(map(network.topology.address, range(network.topology.nodes)))
        self.in_order: bool = network.routing.in_order

    @property
    def copy_width(self) -> int:
        """Bits that tell copies from other packets: 1 where there are any, otherwise 0."""
        return min(self.members, 1)

    @property
    def flow_width(self) -> int:
        """Bits of a source's flow: its address, and above it whether of copies."""
        return self.address_width + self.copy_width

    @property
    def sequence_width(self) -> int:
        """Bits of a flow's sequence number, 3..8."""
        return min(8, max(3, (self.data_width - self.flow_width) // 2))

    @property
    def window(self) -> int:
        """Numbers of a flow of which a checker knows whether they came, out of order: 4..16."""
        return min(WIDEST_WINDOW, 1 << self.sequence_width - 1)

    def mark_of(self, beat: Any) -> Value:
        """Bit of an injected beat that marks a packet to several; no bits where there are none."""
        return beat[self._mark] if self.members else Const(0, 0)

    def is_member(self, source: Value, address: int) -> Value:
        """Whether a copy from there is meant for the node of this address."""
        distance = source ^ Const(address, self.address_width)
        return (distance != 0) & (distance <= self.members if self.chained else 1)

    def destination_of(self, head: Value) -> Value:
        """Address that a first beat says it is meant for."""
        return head[: self.address_width]

    def copy_of(self, head: Value) -> Value:
        """Whether a first beat says that it is a copy's; no bits where there are none."""
        return head[self.address_width :][: self.copy_width]

    def sequence_of(self, head: Value) -> Value:
        """Sequence number in a first beat."""
        return head[self.flow_width :][: self.sequence_width]

    def head(
        self, *, destination: Value, copy: Value, sequence: Value, source: Value, last: Value
    ) -> Value:
        """First beat of a packet; `copy` has `copy_width` bits."""
        check_width = self.data_width - self.flow_width - self.sequence_width
        check = spread(Cat(sequence, source, destination, copy, last), check_width)
        return Cat(destination, copy, sequence, check)

    def body(
        self, *, copy: Value, sequence: Value, source: Value, beat: Value, last: Value
    ) -> Value:
        """Any further beat of a packet."""
        return spread(Cat(sequence, source, copy, beat, last), self.data_width)


def spread(value: Value, width: int) -> Value:
    """`value` on exactly `width` bits: folded by XOR, or repeated with every other copy inverted.

    Each bit of `value` decides at least one bit of the result.
    """
    if width < len(value):
        return reduce(xor, (value[low : low + width] for low in range(0, len(value), width)))
    copies = -(-width // len(value))
    return Cat(*(~value if copy % 2 else value for copy in range(copies)))[:width]
