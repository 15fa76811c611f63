"""Input channel whose packets can escape, and the front of its port."""

from functools import cached_property

from amaranth.hdl import Cat, Const, Mux, Value

from ...gateware.packet.escapes import EscapePort
from ...gateware.packet.inputs import input_ways
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...network import Network, RouterKind
from ...routing import Turn
from ..harness import Harness
from .channels import PassingPacket
from .credit_channel import CreditChannel
from .front import Front


class EscapeFront(Front):
    """Front of an input port by which packets come that can escape.

    A code has two halves: number of a flit's way, and of that by which it escapes, or its way again
    where it cannot.

    Parameters
    ----------
    harness, network, kind, port
        As of `Front`.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(harness, network, kind, port)
        self.escape_turns = {
            turn for vc in self.vcs for turn in input_ways(network, kind, port, vc).ways_out
        }

    @property
    def code_bits(self) -> int:
        return 2 * super().code_bits

    @property
    def has_twin(self) -> bool:
        return True

    def turns_of(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        if not len(code):
            return Const(1, 1)
        return Cat((self._is(code, 0, turn) | self._is(code, 1, turn)) for turn in turns)

    def fits(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        if not len(code):
            return Const(1)
        half = len(code) // 2
        way = Cat(self._is(code, 0, turn) for turn in turns if turn not in self.escape_turns)
        out = Cat(self._is(code, 1, turn) for turn in turns if turn in self.escape_turns)
        return way.any() & (out.any() | (code[half:] == code[:half]))

    def _is(self, code: Value, half: int, turn: Turn) -> Value:
        """Whether a half of a code is the number of a turn's way."""
        return code.word_select(half, len(code) // 2) == self.code_of(turn)


class EscapeChannel(CreditChannel):
    """One virtual channel of an input port whose flits have two turns: their way, and an escape.

    Where a packet cannot escape, it has its way only.

    Parameters
    ----------
    harness, network, kind, vc, front, granted
        As of `CreditChannel`; the front is an `EscapeFront`.
    """

    @cached_property
    def requests_escape(self) -> Value:
        """Whether the head asks for its escape, or its packet took it; 0 if none can."""
        if not self.can_escape:
            return Const(0)
        vcs = [vc for vc in self.front.vcs if vc in self.front.escapable_vcs]
        port = self.front.gateware
        assert isinstance(port, EscapePort)
        return self._harness.probe(port.escaping)[vcs.index(self.vc)]

    @property
    def can_escape(self) -> bool:
        """Whether any of its packets can."""
        return self.vc in self.front.escapable_vcs

    @property
    def _out(self) -> Value:
        """Turns by which packets escape, a bit each."""
        return Cat(Const(turn in self.front.escape_turns, 1) for turn in self.turns)

    def escape_turn(self, turns: Value) -> Value:
        """Turn by which a flit of these turns escapes, a bit each; 0 if it cannot."""
        return turns & self._out

    def may_take(self, turns: Value) -> Value:
        way, out = turns & ~self._out, self.escape_turn(turns)
        return way.any() & is_one_hot_or_zero(way) & is_one_hot_or_zero(out)

    def chosen(self, turns: Value) -> Value:
        out = self.escape_turn(turns)
        return Mux(self.requests_escape & out.any(), out, turns & ~self._out)

    def output_class_bits(self, turns: Value) -> Value:
        out = super().output_class_bits(turns & self._out)
        way = super().output_class_bits(turns & ~self._out)
        return Cat(way, Mux(out.any(), out, way))

    @cached_property
    def first_turns(self) -> Value:
        """Turns of the first flit in the queue, if there is one."""
        word = self.queue.word_at(self.queue.head)
        return self._harness.named(self.turn_of(self.queue.code(word)), f"first_{self.name}")

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves, with both its turns."""
        return self._passing("out", self.leaves, self.front_flit, self.first_turns)

    @cached_property
    def taken(self) -> PassingPacket:
        return self._passing("taken", self.leaves, self.front_flit, self.front_turn)
