"""Input channel of a router with credits and parity."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.lib import data

from .....topology import LOCAL
from ...observed.channel import NodePacket, PassingPacket
from ...observed.gates import Choice
from ...observed.node_side import has_broken_header, voted_last
from .channel import CreditChannel
from .turn_queue import VotedQueue


class GuardedChannel(CreditChannel):
    """One virtual channel of an input port, whose packets stay whole whatever bit is wrong.

    All flits of a packet take the turn of its first, whatever their headers are. A first flit whose
    header is broken is ejected, and its packet with it.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CreditChannel`.
    """

    _queue_type = VotedQueue

    @cached_property
    def flit(self) -> data.View:
        """Flit that arrives, with the mark of a tail that its three marks make."""
        name = f"input_{self.front.name}.i"
        return data.View(self._layout, self._harness.inside(name, self._layout.size))

    def is_received(self, sent: data.View) -> Value:
        fields = [name for name in sent.shape().members if name not in {"last", "wrong"}]
        alike = [self.flit[name] == sent[name] for name in fields]
        return Cat(*alike, self.flit.last == voted_last(sent), ~self.flit.wrong).all()

    @property
    def is_routed(self) -> Value:
        return ~self.incoming.open & ~has_broken_header(self.flit)

    @cached_property
    def incoming(self) -> PassingPacket:
        """Packet that comes in."""
        return self._passing("in", self.arrives, self.flit, self._turn)

    def keeps(self) -> Sequence[Value]:
        packet, front, path = self.incoming, self.front, f"input_{self.front.name}.buffer"
        inside = self._harness.inside(f"{path}.in_packet_vc{self.vc}")
        way = self._harness.inside(f"{path}.way_of_first_vc{self.vc}", len(front.ways))
        places = [front.way_of(turn) for turn in self.turns]
        others = Cat(bit for place, bit in enumerate(way) if place not in places)
        same = Cat(way[place] for place in places) == packet.turn
        return [
            inside == packet.open,
            ~packet.open | (same & ~others.any() & self.may_take(packet.turn)),
        ]

    @cached_property
    def _turn(self) -> Signal:
        """Turn of the flit that arrives, a bit each."""
        return Signal(len(self.turns), name=f"arriving_turn_{self.name}")

    @cached_property
    def _arriving_choice(self) -> Choice:
        found = super()._arriving_choice
        ejects = sum(
            1 << number for number, turn in enumerate(self.turns) if turn.output_port == LOCAL
        )
        first = Mux(has_broken_header(self.flit), ejects, found.turns)
        turn = Mux(self.incoming.open, self.incoming.turn, first)
        self._harness.m.d.comb += self._turn.eq(turn)
        return found._replace(turns=self._turn)

    def entering(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        return [~packet.open | (packet.turn == self.entry.turn), packet.open == node.under_way]
