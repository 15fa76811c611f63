"""What a switch reads in the headers that come to it."""

from collections.abc import Sequence

from amaranth.hdl import Value

from ...network import Network
from ...topology.lcan import LeastCommonAncestor
from ...untyped import View


class HeaderReader:
    """Reads headers as the switches of a level do.

    Parameters
    ----------
    network : Network
        Addresses, and the words of packets.
    level : int
        Level of the switch.
    address : Value
        Prefix of the PEs below it.
    """

    def __init__(self, network: Network, level: int, address: Value) -> None:
        self._network, self._level, self._address = network, level, address
        self._topology = LeastCommonAncestor.of(network.topology)

    def is_below(self, destination: Value) -> Value:
        """Whether a node is a PE in the switch's subtree."""
        low = self._topology.digit_offsets[self._level + 1]
        return destination[low:] == self._address[low:]

    def digit(self, destination: Value) -> Value:
        """Child of the switch under which a PE is."""
        low, high = self._topology.digit_offsets[self._level : self._level + 2]
        return destination[low:high]

    def named_uppers(self, headers: Sequence[View]) -> list[Value]:
        """Upper that each header from below names; none where every upper is right."""
        if self._network.routing.word_layout:
            return [header[f"upper{self._level}"] for header in headers]
        places = self._topology.upper_offsets
        if not places:
            return []
        low = places[self._level]
        width = (self._topology.uppers[self._level] - 1).bit_length()
        return [header.destination[low : low + width] for header in headers]
