"""Input channel whose broadcasts leave once by each of their ways, in a router with credits."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data

from .....routing import Turn
from ...observed.channel import NodePacket, PassingPacket, header_of
from .copy_state import CopyState


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
        """Header of a copy that leaves with a label."""
        return Cat(label, header[self._label_bits :])

    def copies_of(self, flit: data.View) -> list[Value]:
        """By turn, a flit as it leaves by it."""
        header, labels = header_of(flit), self._gates.of(flit, "token").labels
        rest = flit.as_value()[: self._layout.size - len(header)]
        return [Cat(rest, self.header_by(header, label)) for label in labels]

    def may_take(self, turns: Value) -> Value:
        return turns.any()

    def continues(self) -> Value:
        came = self.incoming
        cancels = came.open & came.header[-1] & ~self.offered
        return super().continues() & (~self.cancel | cancels)

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
        wide = Const(0, len(packet.header) - len(node.source) - 1 - len(node.destination))
        header = Cat(node.destination, wide, node.source, node.is_broadcast)
        return [
            self.cancel == node.cancels,
            packet.open == node.under_way,
            ~packet.open | (packet.turn == self.entry.turn),
            ~packet.open | (packet.header == header),
            ~(packet.open & node.is_broadcast) | (node.beats != 0),
            self.continues(),
        ]
