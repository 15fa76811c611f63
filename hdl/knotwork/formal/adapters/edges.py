"""Components of two clocks whose edges come in any order, for proofs."""

from collections.abc import Callable

from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    EnableInserter,
    Module,
    ResetSignal,
    Signal,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member

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
        _join(m, self, timed, self._members)
        return m


class AnyClocks(wiring.Component):
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
        self._make = make
        pattern = make()
        pattern._MustUse__used = True
        self._members = dict(pattern.signature.members.items())
        pins = {f"{side}_{pin}": In(1) for side in ("left", "right") for pin in ("clk", "rst")}
        super().__init__({**self._members, **pins})

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
        _join(m, self, timed, self._members)
        return m


def _join(m: Module, own: Interface, timed: Interface, members: dict[str, Member]) -> None:
    """Members of one as those of the other."""
    for name, member in members.items():
        outer, inner = getattr(own, name), getattr(timed, name)
        if not member.is_port:
            wiring.connect(m, wiring.flipped(outer), inner)
        else:
            m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
