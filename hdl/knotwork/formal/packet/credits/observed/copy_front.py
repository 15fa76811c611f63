"""Front of an input port whose broadcasts leave by several outputs."""

from amaranth.hdl import Cat, Const, Value

from .....gateware.layouts import label_width
from .....gateware.parts.arbiter import is_one_hot_or_zero
from .....gateware.parts.crossbar import one_hot_mux
from .....network import Network, RouterKind
from .....routing import Turn
from ....harness import Harness
from ...observed.node_side import is_guarded
from .front import Front


class CopyFront(Front):
    """Front of an input port whose broadcasts leave by several outputs.

    Parameters
    ----------
    harness, network, kind, port
        As of `Front`.

    Members
    -------
    way : Signal
        Ways by which the flit may leave, a bit each.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(harness, network, kind, port)
        self._kind = kind
        self._label_bits = label_width(network)
        self._is_staged = network.has_crossbar_stage
        self.way = self._inside("way", len(self.ways))

    @property
    def code_bits(self) -> int:
        return len(self.ways)

    def turns_of(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        return Cat(code[self.way_of(turn)] for turn in turns)

    def fits(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        legal = [self.way_of(turn) for turn in turns]
        return ~Cat(code[n] for n in range(len(self.ways)) if n not in legal).any()

    def takes(self, output: int, vc: int) -> Value:
        found = []
        for number, way in enumerate(self.ways):
            is_local = output in self._node_ports
            if way.output != output or not (is_local or way.out_class == vc % self._classes):
                continue
            lane = vc // self._classes
            lanes = [one for one in self.vcs if is_local or one // self._classes == lane]
            found += [self.way[number] & self.shown(one) for one in lanes]
        return Cat(found).any() if found else Const(0)

    def leaves(self, granted: Value) -> Value:
        return self.occupied & ~(self.turn & ~granted).any()

    def _label(self, output: int, *, across: bool = False) -> Value:
        if not self._label_bits or output in self._node_ports:
            return super()._label(output)
        if across or not self._is_staged:
            return self._inside(f"labels_{self.outputs.index(output)}", self._label_bits)
        # What the registers take has no name of its own.
        ways = [n for n, way in enumerate(self.ways) if way.output == output]
        labels = [self._inside(f"buffer.labels_{n}", self._label_bits) for n in ways]
        return one_hot_mux([self.way[n] for n in ways], labels)

    def _turned(self, output: int) -> Value | None:
        if not (self._label_bits and is_guarded(self.flit)) or output in self._node_ports:
            return None
        return self._inside("turned", len(self.outputs))[self.outputs.index(output)]

    @property
    def is_legal(self) -> Value:
        """Whether there is a turn if there is a flit, and several only of a packet's only one."""
        ways = is_one_hot_or_zero(self.way) | (self.last & ~self.held)
        turns = [
            Cat(self.way[n] for n, way in enumerate(self.ways) if way.output == output).any()
            for output in self.outputs
        ]
        return ways & (Cat(turns) == self.turn)
