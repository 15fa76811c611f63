"""Input channel of a router with credits and parity."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TypeVar

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...observed.channel import NodePacket
from ...observed.gates import Choice
from ...observed.node_side import has_broken_header, voted_last
from .channel import CreditChannel

Channel = TypeVar("Channel", bound=CreditChannel)


class GuardedChannel(CreditChannel):
    """One virtual channel of an input port, whose packets stay whole whatever bit is wrong.

    All flits of a packet take the turns of its first, whatever their headers are. A first flit
    whose header is broken is ejected, and its packet with it; at a router without nodes it takes a
    turn of its router. It is the first of the bases of what `guarded` makes.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CreditChannel`.
    """

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

    def is_as_known(self, flit: data.View, turn: Value) -> Value:
        # Of what nodes send no bit is wrong yet.
        return super().is_as_known(flit, turn) if self.is_local else Const(1)

    def keeps(self) -> Sequence[Value]:
        packet, path = self.incoming, f"input_{self.front.name}.buffer"
        inside = self._harness.inside(f"{path}.in_packet_vc{self.vc}")
        ways = self.ways_of(packet.turn)
        first = self._harness.inside(f"{path}.way_of_first_vc{self.vc}", len(ways))
        return [
            *super().keeps(),
            inside == packet.open,
            ~packet.open | ((first == ways) & self.may_take(packet.turn)),
        ]

    @cached_property
    def _turn(self) -> Signal:
        """Turns of the flit that arrives, a bit each."""
        return Signal(len(self.turns), name=f"arriving_turn_{self.name}")

    @property
    def _comes(self) -> tuple[data.View, Value]:
        return self.flit, self._turn

    @cached_property
    def _arriving_choice(self) -> Choice:
        found = super()._arriving_choice
        ejects = self._kind.error_turn(self.port, self.vc)
        first: Value = found.turns
        if ejects is not None:
            broken = 1 << self.turns.index(ejects)
            first = Mux(has_broken_header(self.flit), broken, found.turns)
        turn = Mux(self.incoming.open, self.incoming.turn, first)
        self._harness.m.d.comb += self._turn.eq(turn)
        return found._replace(turns=self._turn)

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        del node
        return ()


@cache
def guarded(channel: type[Channel]) -> type[Channel]:
    """The same channel in a router with parity."""
    bases = (GuardedChannel,) if channel is CreditChannel else (GuardedChannel, channel)
    return type(f"Guarded{channel.__name__}", bases, {})
