"""Front of an input port whose heads ask for their way and for their escape in turn."""

from amaranth.hdl import Cat, Const, Value

from .....gateware.packet.inputs import input_ways
from .....network import Network, RouterKind
from .....routing import Turn
from ....harness import Harness
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
        self.ways_out = {
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
        way = Cat(self._is(code, 0, turn) for turn in turns if turn not in self.ways_out)
        out = Cat(self._is(code, 1, turn) for turn in turns if turn in self.ways_out)
        return way.any() & (out.any() | (code[half:] == code[:half]))

    def _is(self, code: Value, half: int, turn: Turn) -> Value:
        """Whether a half of a code is the number of a turn's way."""
        return code.word_select(half, len(code) // 2) == self.way_of(turn)
