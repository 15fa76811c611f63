"""Buffer of an input channel where packets branch: its memory and the pointers into it."""

from functools import cached_property

from amaranth.hdl import Array, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import flit_layout
from ....network import Network
from ...harness import Harness
from ..observed.channel import InputChannel


class BranchingMemory:
    """Memory whose places are counted from its head, the first flit in it.

    So the flits of a broadcast that is read have the places 0, 1, ...

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network : Network
        Gives the layout of a flit.
    channel : InputChannel
        Channel of the buffer.

    Members
    -------
    flit_layout : StructLayout
        Layout of a word.
    """

    def __init__(self, harness: Harness, network: Network, channel: InputChannel) -> None:
        self._harness = harness
        self._name, self.depth = channel.name, channel.depth
        self.flit_layout = flit_layout(network)

    def inside(self, name: str, bits: int = 1) -> Signal:
        """Wire of the buffer."""
        return self._harness.inside(f"input_{self._name}.{name}", bits)

    @property
    def full(self) -> Signal:
        """Whether there is no room."""
        return self.inside("full")

    def pointer(self, name: str) -> Signal:
        """Pointer into the memory."""
        return self.inside(name, (self.depth - 1).bit_length())

    def reader(self, name: str, bits: int = 1) -> Signal:
        """Wire of the branches' reader."""
        return self.inside(f"reader.{name}", bits)

    def place(self, slot: Value) -> Value:
        """Place of a word of the memory."""
        head = self.pointer("head")
        return Mux(slot >= head, slot - head, slot + self.depth - head)[: len(head)]

    def slot(self, place: Value) -> Value:
        """Word of the memory that is a place."""
        head = self.pointer("head")
        behind = head + place
        return Mux(behind >= self.depth, behind - self.depth, behind)[: len(head)]

    @cached_property
    def places(self) -> list[Signal]:
        """Place of each word of the memory."""
        bits = len(self.pointer("head"))
        return [
            self._harness.named(self.place(Const(slot, bits)), f"place{slot}")
            for slot in range(self.depth)
        ]

    @cached_property
    def words(self) -> list[data.View]:
        """Flits in the memory."""
        size = self.flit_layout.size
        found = [self.inside(f"memory[{word}]", size) for word in range(self.depth)]
        return [data.View(self.flit_layout, word) for word in found]

    def word(self, slot: Value, name: str) -> data.View:
        """Flit in a word of the memory."""
        found = Array(word.as_value() for word in self.words)[slot]
        return data.View(self.flit_layout, self._harness.named(found, f"{name}_{self._name}"))
