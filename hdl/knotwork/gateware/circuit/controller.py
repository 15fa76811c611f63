"""Controller of circuit-switched networks: it runs network cycles while packets wait."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...parameters import CircuitParameters
from ...routing.circuits import cycle_clocks
from ...topology.lcan import LeastCommonAncestor
from ...untyped import View
from .layouts import control_layout, report_layout


class CircuitController(wiring.Component):
    """Counts the cycles of a network cycle, from cycle 0, in which headers reach level 0.

    With l levels of switches and packets of at most B flits, sources sample their acknowledges in
    cycle 4 (l - 1) + 3, and circuits are released in cycle 6 (l - 1) + B + 5, the last. The next
    network cycle follows at once if any PE has a packet; otherwise the count stops and no switch
    changes its state.

    Latency
    -------
    In an idle network, a packet whose last beat came in cycle t has its cycle 0 at t + 3.

    Parameters
    ----------
    network : Network
        Levels and the longest packet.

    Members
    -------
    reports : In(ArrayLayout(report_layout, nodes))
        From the interfaces.
    control : Out(control_layout)
        To the interfaces and switches.
    """

    reports: View
    control: View

    def __init__(self, network: Network) -> None:
        self._network = network
        self._topology = LeastCommonAncestor.of(network.topology)
        self._top = self._topology.levels - 1
        super().__init__(
            {
                "reports": In(data.ArrayLayout(report_layout(network), network.topology.nodes)),
                "control": Out(control_layout(network)),
            }
        )

    @property
    def clocks(self) -> int:
        """Cycles of a network cycle."""
        longest = CircuitParameters.of(self._network.hardware).max_packet
        return cycle_clocks(self._topology, longest)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        nodes = self._network.topology.nodes
        running, clock = Signal(name="running"), Signal(range(self.clocks), name="clock")
        pending, ends = Signal(name="pending"), Signal(name="ends")
        m.d.sync += pending.eq(Cat(self.reports[node].pending for node in range(nodes)).any())
        m.d.comb += [
            ends.eq(~running | (clock == self.clocks - 1)),
            self.control.begin.eq(ends & pending),
            self.control.sample.eq(running & (clock == 4 * self._top + 3)),
            self.control.release.eq(running & ends),
        ]
        m.d.sync += clock.eq(Mux(ends, 0, clock + 1))
        with m.If(ends):
            m.d.sync += running.eq(pending)
        return m
