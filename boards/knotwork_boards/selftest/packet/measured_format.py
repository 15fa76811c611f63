"""Contents of the packets that carry their time of creation through a network of packet routers."""

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data
from knotwork.network import Network

from ...measuring.expected import stamp_width
from ..packet_format import spread

MIN_STAMP_WIDTH = 10
"""Bits of the shortest time of creation with which latencies are measured."""


class MeasuredFormat:
    """Contents of the packets of a measured window.

    The first beat has, from bit 0: the address of the destination, whether the packet is a sample,
    its time of creation, and check bits over these in what is left. Every other beat mixes source,
    number of the beat and `last`.

    Parameters
    ----------
    network : Network
        Network that carries the packets.
    """

    def __init__(self, network: Network) -> None:
        self._data_width = network.hardware.data_width
        self._address_width = network.topology.address_width
        self._has_source = network.has_source
        self.stamp_width = stamp_width(self._data_width, self._address_width)

    def head(self, *, destination: Value, sample: Value, stamp: Value, last: Value) -> Value:
        """First beat."""
        fields = Cat(destination, sample, stamp)
        room = self._data_width - len(fields)
        return Cat(fields, spread(Cat(fields, last), room)) if room else fields

    def body(self, *, source: Value, beat: Value, last: Value) -> Value:
        """Any beat after the first."""
        return spread(Cat(source, beat, last), self._data_width)

    def source_of(self, beat: data.View) -> Value:
        """Source of an ejected beat; no bits where the network does not carry it."""
        return beat.source if self._has_source else Const(0, 0)

    def destination_of(self, head: Value) -> Value:
        """Destination in a first beat."""
        return head[: self._address_width]

    def sample_of(self, head: Value) -> Value:
        """Whether a first beat is of a sample."""
        return head[self._address_width]

    def stamp_of(self, head: Value) -> Value:
        """Time of creation in a first beat."""
        return head[self._address_width + 1 :][: self.stamp_width]

    def address(self, number: int) -> Const:
        """Address as a constant."""
        return Const(number, self._address_width)

    def source(self, number: int) -> Const:
        """Source of a beat before it enters, as `source_of` gives it behind the network."""
        return Const(number, self._address_width) if self._has_source else Const(0, 0)
