"""Components of two clocks whose edges come in any order, for proofs."""

from collections.abc import Callable

from amaranth.hdl import DomainRenamer, EnableInserter, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ...untyped import Interface

EDGES = {"i": "left_edge", "o": "right_edge"}
"""Port with the edges of the clock of a crossing's side."""


class AnyEdges(wiring.Component):
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
        self._make = make
        pattern = make()
        pattern._MustUse__used = True
        self._members = dict(pattern.signature.members.items())
        super().__init__({**self._members, "left_edge": In(1), "right_edge": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        edges = {"left": self.left_edge, "right": self.right_edge}
        timed = self._make()
        at_edges = EnableInserter(edges)(timed)
        m.submodules.timed = DomainRenamer({"left": "sync", "right": "sync"})(at_edges)
        for name, member in self._members.items():
            own, inner = getattr(self, name), getattr(timed, name)
            if not member.is_port:
                wiring.connect(m, wiring.flipped(own), inner)
            else:
                m.d.comb += inner.eq(own) if member.flow == In else own.eq(inner)
        return m
