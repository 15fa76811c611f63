"""Components of two clocks whose edges come in any order, for proofs."""

from collections.abc import Callable

from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    EnableInserter,
    Fragment,
    Module,
    ResetSignal,
    Signal,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from knotwork.untyped import Interface

EDGES = {"i": "left_edge", "o": "right_edge"}
"""Port with the edges of the clock of a crossing's side."""


class _Timed(wiring.Component):
    """Component with the members of another one, and with inputs of one bit that time it."""

    def __init__(self, make: Callable[[], Interface], *inputs: str) -> None:
        self._make = make
        pattern = make()
        pattern._MustUse__used = True
        self._members = dict(pattern.signature.members.items())
        super().__init__({**self._members, **dict.fromkeys(inputs, In(1))})

    def _join(self, m: Module, timed: Interface) -> None:
        """Let the members be those of the other one."""
        for name, member in self._members.items():
            outer, inner = getattr(self, name), getattr(timed, name)
            if not member.is_port:
                wiring.connect(m, wiring.flipped(outer), inner)
            else:
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)


class AnyEdges(_Timed):
    """Component with the clocks ``left`` and ``right``, which have their edges when told.

    Parameters
    ----------
    make : callable
        Makes the component; its members are those of this one too.

    Members
    -------
    left_edge, right_edge : In(1)
        The clock has an edge in this cycle.

    The component itself is ``timed`` in the Verilog.
    """

    left_edge: Signal
    right_edge: Signal

    def __init__(self, make: Callable[[], Interface]) -> None:
        super().__init__(make, "left_edge", "right_edge")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        edges = {"left": self.left_edge, "right": self.right_edge}
        timed = self._make()
        # Registers of a module that is placed would not wait for the edges: they are written here.
        at_edges = EnableInserter(edges)(Fragment.get(timed, None))
        m.submodules.timed = DomainRenamer({"left": "sync", "right": "sync"})(at_edges)
        self._join(m, timed)
        return m


class AnyClocks(_Timed):
    """Component whose clocks ``left`` and ``right``, and their resets, are ports.

    Parameters
    ----------
    make : callable
        Makes the component, with ``sync`` for ``left``; its members are those of this one too.

    Members
    -------
    left_clk, left_rst, right_clk, right_rst : In(1)
        Clocks and resets, high and low at any time.

    The component itself is ``timed`` in the Verilog.
    """

    left_clk: Signal
    left_rst: Signal
    right_clk: Signal
    right_rst: Signal

    def __init__(self, make: Callable[[], Interface]) -> None:
        super().__init__(make, "left_clk", "left_rst", "right_clk", "right_rst")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.left = ClockDomain(local=True)
        m.domains.right = ClockDomain(local=True)
        m.d.comb += [
            ClockSignal("left").eq(self.left_clk),
            ResetSignal("left").eq(self.left_rst),
            ClockSignal("right").eq(self.right_clk),
            ResetSignal("right").eq(self.right_rst),
        ]
        timed = self._make()
        m.submodules.timed = DomainRenamer("left")(timed)
        self._join(m, timed)
        return m
