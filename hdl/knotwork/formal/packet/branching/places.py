"""Buffer of an input channel where packets branch: its memory and the pointers into it."""

from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import flit_layout
from ....network import Network


class Places:
    """Memory whose places are counted from its head, the first flit in it.

    So the flits of a broadcast that is read have the places 0, 1, ...

    Parameters
    ----------
    bench : Bench
        Bench of the router.
    network : Network
        Depth and layout.
    name : str
        The channel's.

    Members
    -------
    name, depth : str, int
        The channel's name, and words of the memory.
    flit_layout : StructLayout
        What a word holds.
    """

    def __init__(self, bench: Any, network: Network, name: str) -> None:
        self._bench: Any = bench
        self.name = name
        self.depth: int = network.hardware.buffer_depth
        self.flit_layout = flit_layout(network)

    def _inside(self, name: str, bits: int = 1) -> Signal:
        return self._bench.inside(f"core.input_{self.name}.{name}", bits)

    @property
    def full(self) -> Signal:
        """There is no room."""
        return self._inside("full")

    def pointer(self, name: str) -> Signal:
        """Pointer into the memory."""
        return self._inside(name, (self.depth - 1).bit_length())

    def reader(self, name: str, bits: int = 1) -> Signal:
        """Wire of the reader of the branches."""
        return self._inside(f"reader.{name}", bits)

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
            self._bench.named(self.place(Const(slot, bits)), f"place{slot}")
            for slot in range(self.depth)
        ]

    @cached_property
    def words(self) -> list[Any]:
        """Flits in the memory."""
        size = self.flit_layout.size
        found = [self._inside(f"memory[{word}]", size) for word in range(self.depth)]
        return [data.View(self.flit_layout, word) for word in found]

    def word(self, slot: Value, name: str) -> Any:
        """Flit in a word of the memory."""
        found = Array(word.as_value() for word in self.words)[slot]
        return data.View(self.flit_layout, self._bench.named(found, f"{name}_{self.name}"))
