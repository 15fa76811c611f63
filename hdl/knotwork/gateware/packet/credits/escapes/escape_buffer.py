"""Buffers of an input port by which packets come that can escape."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from .....network import Network, RouterKind
from ....parts.route import RouteComputation
from ...inputs import input_ways
from ..port_buffer import PortBuffer, assign_ways, computation, index_of, routed


class EscapeBuffer(PortBuffer):
    """Buffers of an input port; an entry has a flit's way, and that by which it escapes.

    Where a flit cannot escape, both are the same.

    Latency
    -------
    As `PortBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`; of a routing with an escape class.

    Members
    -------
    address, arrives, i, shown, leaves, last, asked, some, more, full, flit
        As of `PortBuffer`; `asked` may be the channel shown.
    behind, other : Out(entry_width)
        Number of a flit's way, of that by which it escapes, and whether it is its packet's last.
    arriving : Out(2 * ways)
        One-hot twice: way of the flit that arrives, and that by which it escapes; 0 without one.
    """

    _ways_per_flit = 2

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        out = {vc: input_ways(network, kind, port, vc).ways_out for vc in kind.input_vcs(port)}
        gates = {vc: computation(network, kind, turns, escape=True) for vc, turns in out.items()}
        self._ways_out = {vc: route for vc, route in gates.items() if route is not None}
        super().__init__(network, kind, port)

    @property
    def ways_out(self) -> Mapping[int, RouteComputation]:
        """Gates by which packets escape, of the virtual channels where they can."""
        return self._ways_out

    def _entry(self, way: Value) -> Value:
        count = len(self._ways)
        return Cat(index_of(way[:count]), index_of(way[count:]))

    def _way(self, m: Module, vc: int, route: RouteComputation | None, arrives: Value) -> Value:
        first = super()._way(m, vc, route, arrives)
        if vc not in self._ways_out:
            return Cat(first, first)
        escape = Signal(len(self._ways), name=f"escape_vc{vc}")
        asked = routed(
            m, f"escape_route_vc{vc}", self._ways_out[vc], self.address, self.i.destination
        )
        assign_ways(m, escape, [(self._number(turn), select) for turn, select in asked])
        return Cat(first, Mux(escape.any(), escape, first))
