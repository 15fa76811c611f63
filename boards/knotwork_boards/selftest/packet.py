"""What the packets of the self-test say, for the generator that writes them and the checker."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Value
from amaranth.lib import data
from knotwork.errors import ConfigurationError
from knotwork.gateware import eject_layout, inject_layout
from knotwork.network import Network

BEAT_WIDTH = 2
"""Bits of a beat's number: packets have 1..4 beats."""


class PacketFormat:
    """Contents of the self-test's packets.

    The first beat carries, from bit 0: the address of the node it is meant for, the sequence number
    of its flow (source, destination), and check bits over both, the source and `last`. Every
    further beat is a mix of sequence number, source, number of the beat and `last`. So a flipped
    bit, a beat of another packet, a packet cut short or run together and a wrong source all show.

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

    Raises
    ------
    ConfigurationError
        The data width cannot hold an address, a sequence number and a check bit.
    """

    def __init__(self, network: Network) -> None:
        width, address_width = network.hardware.data_width, network.topology.address_width
        if width < address_width + 4:
            raise ConfigurationError(
                f"{network.name}: data_width must be at least {address_width + 4} for the "
                f"self-test (address {address_width}, sequence 3, check 1), not {width}"
            )
        self.packet_in: data.StructLayout = inject_layout(network)
        self.packet_out: data.StructLayout = eject_layout(network)
        self.data_width: int = width
        self.address_width: int = address_width
        self.addresses = tuple(map(network.topology.address, range(network.topology.nodes)))

    @property
    def sequence_width(self) -> int:
        """Bits of a flow's sequence number, 3..8."""
        return min(8, max(3, (self.data_width - self.address_width) // 2))

    def destination_of(self, head: Value) -> Value:
        """Address that a first beat says it is meant for."""
        return head[: self.address_width]

    def sequence_of(self, head: Value) -> Value:
        """Sequence number in a first beat."""
        return head[self.address_width :][: self.sequence_width]

    def head(self, *, destination: Value, sequence: Value, source: Value, last: Value) -> Value:
        """First beat of a packet."""
        check_width = self.data_width - self.address_width - self.sequence_width
        check = spread(Cat(sequence, source, destination, last), check_width)
        return Cat(destination, sequence, check)

    def body(self, *, sequence: Value, source: Value, beat: Value, last: Value) -> Value:
        """Any further beat of a packet."""
        return spread(Cat(sequence, source, beat, last), self.data_width)


def spread(value: Value, width: int) -> Value:
    """`value` on exactly `width` bits: folded by XOR, or repeated with every other copy inverted.

    Each bit of `value` decides at least one bit of the result.
    """
    if width < len(value):
        return reduce(xor, (value[low : low + width] for low in range(0, len(value), width)))
    copies = -(-width // len(value))
    return Cat(*(~value if copy % 2 else value for copy in range(copies)))[:width]
