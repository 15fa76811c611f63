"""Controller of circuit-switched networks: it runs network cycles while packets wait."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...parameters import CircuitParameters
from ...routing.circuits import cycle_clocks, sample_clock
from ...topology.lcan import LeastCommonAncestor
from ...untyped import View
from ..component import Component
from .layouts import control_layout, ends_early, report_layout


class CircuitController(Component):
    """Counts the cycles of a network cycle, from cycle 0, in which headers reach level 0.

    With l levels of switches and packets of at most B flits, sources sample their acknowledges in
    cycle 4 (l - 1) + 3, and circuits are released in cycle 6 (l - 1) + B + 5, the last. The next
    network cycle follows at once if any PE has a packet; otherwise the count stops and no switch
    changes its state.

    With ``cycle=adaptive``, sources of packets with LCA level L sample in cycle 4 L + 3 and send at
    once, and circuits are released when no interface has reported that it is active. So a network
    cycle lasts 6 L + b + 6 cycles for the circuit that takes longest, with LCA level L and a packet
    of b flits, or 4 L + 6 for a header that was lost, whichever is more.

    In one-way use every path crosses l switches: the sample is in cycle 2 l + 1, the release in
    cycle 3 l + B + 2, and the shorter network cycles last 3 l + b + 3 and 2 l + 4 cycles.

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
        super().__init__(
            {
                "reports": In(data.ArrayLayout(report_layout(network), network.topology.nodes)),
                "control": Out(control_layout(network)),
            }
        )

    @property
    def clocks(self) -> int:
        """Cycles of the longest network cycle."""
        longest = CircuitParameters.of(self._network.hardware).max_packet
        return cycle_clocks(self._topology, longest)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        nodes = self._network.topology.nodes
        early = ends_early(self._network)
        hop_counts = self._topology.hop_counts
        counts = sample_clock(hop_counts[-1]) + 2 if early else self.clocks
        self.running = running = Signal(name="running")
        self.clock = clock = Signal(range(counts), name="clock")
        self.pending = pending = Signal(name="pending")
        ends = Signal(name="ends")
        m.d.sync += pending.eq(Cat(self.reports[node].pending for node in range(nodes)).any())
        m.d.comb += [
            self.control.begin.eq(ends & pending),
            self.control.release.eq(running & ends),
        ]
        if early:
            self.active = active = Signal(name="active")
            m.d.sync += active.eq(Cat(self.reports[node].active for node in range(nodes)).any())
            # In cycle 0 the reports are those of the cycle before.
            m.d.comb += ends.eq(~running | (clock.any() & ~active))
            after = clock + (clock != counts - 1)
        else:
            m.d.comb += ends.eq(~running | (clock == counts - 1))
            after, hop_counts = clock + 1, hop_counts[-1:]
        samples = Cat(running & (clock == sample_clock(hops)) for hops in hop_counts)
        m.d.comb += self.control.sample.eq(samples)
        m.d.sync += clock.eq(Mux(ends, 0, after))
        with m.If(ends):
            m.d.sync += running.eq(pending)
        return m
