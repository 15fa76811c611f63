"""How the words of a plain buffer encode flits and their turns."""

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import flit_layout
from ....gateware.packet.header import carried, completed
from ....network import Network, RouterKind
from ...harness import Harness
from .channel import InputChannel


class Entries:
    """Entries of a buffer: each is a flit and its turn.

    A word leaves out the bits of the addresses that the router knows from its own address, and the
    turn where there is only one.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    channel : InputChannel
        Channel of the buffer.

    Members
    -------
    flit_layout, layout : StructLayout
        Layout of a flit, and of an entry: `flit` and `turn`.
    bits : int
        Bits of a word.
    has_turn : bool
        Words have the turn.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, channel: InputChannel
    ) -> None:
        self._harness, self._name = harness, channel.name
        turns = channel.turns
        self.flit_layout = flit_layout(network)
        self.layout = data.StructLayout({"flit": self.flit_layout, "turn": len(turns)})
        self._known = network.known_header(kind, channel.port)
        self._leaving = [
            network.known_header(kind, turn.output_port, leaving=True) for turn in turns
        ]
        self._carried = len(carried(Signal(self.flit_layout), self._known))
        self.has_turn = len(turns) > 1
        self.bits = self._carried + (len(turns) if self.has_turn else 0)

    def turn_in(self, word: Value) -> Value:
        """Turn in a word."""
        return word[self._carried :] if self.has_turn else Const(1, 1)

    def view(self, entry: Value, name: str) -> data.View:
        """Entry on a wire of its own, for a bit of an expression repeats all of it."""
        return data.View(self.layout, self._harness.named(entry, f"{name}_{self._name}"))

    def decoded(self, word: Value) -> data.View:
        """Entry that a word encodes."""
        layout = Signal(self.flit_layout)
        address = self._harness.port("address")
        flit = completed(layout, self._known, address, word[: self._carried])
        return self.view(Cat(flit, self.turn_in(word)), "whole")

    def is_as_known(self, entry: data.View) -> Value:
        """Whether the bits of an entry's addresses are those that the routing makes known."""
        flit, address = entry.flit, self._harness.port("address")
        right = completed(flit, self._known, address) == flit.as_value()
        for taken, known in zip(entry.turn, self._leaving, strict=True):
            right &= ~taken | (completed(flit, known, address) == flit.as_value())
        return right
