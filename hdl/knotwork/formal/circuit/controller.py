"""Controller of a network with circuits: its harness and its properties."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Mux
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.circuit.controller import CircuitController
from ...gateware.circuit.layouts import report_layout
from ...gateware.wiring_plan import controller_module
from ...network import Network
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import NetworkCycle, cycle_length, hop_counts


class ControllerHarness(Harness):
    """Harness of a controller, to which interfaces may report anything.

    Where a network cycle ends early, they do not report that they are active for longer than the
    longest packet over the top needs.

    Parameters
    ----------
    network : Network
        Network with circuits.
    name : str
        Name of the controller's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        module = controller_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.controller = self.component("", CircuitController)
        self.cycle = NetworkCycle(self, network)
        layout = data.ArrayLayout(report_layout(network), network.topology.nodes)
        reports = data.View(layout, self.port("reports"))
        self.reports = [reports[node] for node in range(network.topology.nodes)]
        if self.cycle.ends_early:
            late = self.cycle.time >= self.cycle.length - 2
            idle = ~Cat(report.active for report in self.reports).any()
            self.environment(~(self.cycle.cycling & late) | idle)


def _claim_cycles(harness: ControllerHarness) -> None:
    cycle, controller = harness.cycle, harness.controller
    for rule in cycle.rules():
        harness.claim(rule)
    pending = harness.register(1, "pending")
    harness.m.d.sync += pending.eq(Cat(report.pending for report in harness.reports).any())
    harness.claim(cycle.control.begin == ((~cycle.cycling | cycle.last) & pending))
    running = harness.probe(controller.running)
    most = 2 * cycle.hop_counts[-1] + 4 if cycle.ends_early else cycle.length - 1
    counted = harness.probe(controller.clock)
    harness.claim(running == cycle.cycling)
    harness.claim(~running | (counted == Mux(cycle.time < most, cycle.time, most)))
    if cycle.ends_early:
        active = harness.register(1, "active")
        harness.m.d.sync += active.eq(Cat(report.active for report in harness.reports).any())
        harness.claim(harness.probe(controller.active) == active)
        done = cycle.cycling & (cycle.time != 0) & ~active
        harness.claim(cycle.control.release == done)
        harness.cover(done & (cycle.time < 2 * cycle.hop_counts[-1] + 3))
    harness.claim(harness.probe(controller.pending) == pending)
    harness.cover(cycle.control.begin)
    for level in range(len(cycle.control.sample)):
        harness.cover(cycle.control.sample[level])


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller."""
    return [
        Property(
            name="clocks",
            text="while a PE has a packet, network cycles follow each other; acknowledges are "
            "sampled, and circuits released, each in its cycle",
            claim=_claim_cycles,
            depth=cycle_length(network) + 4,  # a release at the wrong time must be seen
            cover=2 * hop_counts(network)[-1] + 12,
        )
    ]
