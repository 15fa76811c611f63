"""Input channel whose broadcasts leave once by each of their ways, in a router with credits."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from .....routing import Turn
from ...observed.channel import NodePacket, PassingPacket
from ...observed.node_side import is_guarded
from .copy_state import CopyState
from .front import labelled


class CopyChannel(CopyState):
    """One virtual channel of an input port, whose packets may be copied.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CopyState`.
    """

    @cached_property
    def incoming(self) -> PassingPacket:
        packet = super().incoming
        with self._harness.m.If(self.cancel):
            self._harness.m.d.sync += packet.open.eq(0)
        return packet

    @cached_property
    def is_broadcast(self) -> Signal:
        """Whether the last flit that came is a broadcast's."""
        found = self._harness.register(1, f"in_broadcast_{self.name}")
        with self._harness.m.If(self.arrives):
            self._harness.m.d.sync += found.eq(self.flit.broadcast)
        return found

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet whose flits the queue frees, with all its turns."""
        turns = self.turn_of(self.queue.code(self.queue.word_at(self.queue.start)))
        return self._passing("out", self.frees, self.shown, turns)

    @cached_property
    def copy(self) -> PassingPacket:
        """Copy that leaves."""
        copy = self._passing("copy", self.leaves, self.shown, self.shown_turn)
        opened = self._harness.register(1, f"copying_{self.name}")
        with self._harness.m.If(self.leaves):
            # The front's mark: `packets` shows that it is the flit's.
            self._harness.m.d.sync += opened.eq(~self.front.last)
        return copy._replace(open=opened)

    @cached_property
    def _copy_labels(self) -> list[Value]:
        """Labels of the copy that leaves, by turn."""
        header = self.copy.header
        flit = data.View(self._layout, Cat(Const(0, self._layout.size - len(header)), header))
        return self._gates.of(flit, "copy").labels

    @property
    def labels(self) -> Sequence[Value]:
        return self._arriving_choice.labels

    def header_by(self, header: Value, label: Value) -> Value:
        """Header of a copy that leaves with a label, as `header_of` gives it."""
        if is_guarded(self.flit):
            return header
        return Cat(label, header[self._label_bits :])

    def copies_of(self, flit: data.View) -> list[Value]:
        """By turn, a flit as it leaves by it."""
        return [labelled(flit, label) for label in self._gates.of(flit, "token").labels]

    def may_take(self, turns: Value) -> Value:
        return turns.any()

    def continues(self) -> Value:
        return super().continues() & self._cancels_rightly & self._stays_broadcast

    @property
    def _cancels_rightly(self) -> Value:
        """Whether what is dropped is a broadcast that is under way."""
        return ~self.cancel | (self.incoming.open & self.is_broadcast & ~self.offered)

    @property
    def _stays_broadcast(self) -> Value:
        """Whether all flits from a node are of a broadcast, or none: with parity too."""
        if not self.is_local:
            return Const(1)
        is_alike = self.flit.broadcast == self.is_broadcast
        return ~self.offered | ~self.incoming.open | is_alike

    def goes(self, turn: Turn) -> Value:
        number = self.front.outputs.index(turn.output_port)
        return self._granted[number] & self.asks(turn)

    def going(self, turn: Turn) -> PassingPacket:
        number, packet = self.turns.index(turn), self.copy
        takes = packet.turn[number]
        header = self.header_by(packet.header, self._copy_labels[number])
        return PassingPacket(packet.open & takes, takes, header)

    def entering(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        return [
            self.cancel == node.cancels,
            ~packet.open | (self.is_broadcast == node.is_broadcast),
            ~(packet.open & node.is_broadcast) | (node.beats != 0),
            self._cancels_rightly,
            self._stays_broadcast,
            *super().entering(node),
        ]

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        wide = Const(0, len(packet.header) - len(node.source) - 1 - len(node.destination))
        header = Cat(node.destination, wide, node.source, node.is_broadcast)
        return [~packet.open | (packet.header == header), self.continues()]
