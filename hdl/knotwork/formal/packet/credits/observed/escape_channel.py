"""Input channel of a router with credits, whose packets can escape."""

from functools import cached_property

from amaranth.hdl import Const, Mux, Value

from .....gateware.parts.arbiter import is_one_hot_or_zero
from .....network import Network, RouterKind
from ....harness import Harness
from ...observed.channel import PassingPacket
from .channel import CreditChannel
from .escape_front import EscapeFront


class EscapeChannel(CreditChannel):
    """One virtual channel of an input port whose flits have two turns: their way, and an escape.

    Where a packet cannot escape, it has its way only.

    Parameters
    ----------
    harness, network, kind, vc, granted
        As of `CreditChannel`.
    front : EscapeFront
        Front of its port.

    Members
    -------
    asks_out : Value
        The head asks for its escape, or its packet took it.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        vc: int,
        *,
        front: EscapeFront,
        granted: Value,
    ) -> None:
        super().__init__(harness, network, kind, vc, front=front, granted=granted)
        place = front.vcs.index(vc)
        self.asks_out: Value = harness.inside(f"input_{front.name}.escaping", len(front.vcs))[place]
        out = sum(1 << number for number, turn in enumerate(self.turns) if turn in front.ways_out)
        self._out = Const(out, len(self.turns))
        self.can_escape = bool(out)

    def way_out(self, turns: Value) -> Value:
        """Turn by which a flit of these turns escapes, a bit each; 0 if it cannot."""
        return turns & self._out

    def may_take(self, turns: Value) -> Value:
        way, out = turns & ~self._out, self.way_out(turns)
        return way.any() & is_one_hot_or_zero(way) & is_one_hot_or_zero(out)

    def chosen(self, turns: Value) -> Value:
        out = self.way_out(turns)
        return Mux(self.asks_out & out.any(), out, turns & ~self._out)

    @cached_property
    def first_turns(self) -> Value:
        """Turns of the first flit in the queue, if there is one."""
        word = self.queue.word_at(self.queue.head)
        return self._harness.named(self.turn_of(self.queue.code(word)), f"first_{self.name}")

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves, with both its turns."""
        return self._passing("out", self.leaves, self.shown, self.first_turns)

    @cached_property
    def taken(self) -> PassingPacket:
        return self._passing("taken", self.leaves, self.shown, self.shown_turn)
