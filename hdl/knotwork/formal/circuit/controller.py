"""Controller of circuits: its harness and its properties."""

from collections.abc import Sequence
from typing import Any

from ...emit.modules import controller_ports
from ...network import Network
from ..harness import Harness
from ..prover import Property
from .contract import NetworkCycle


class ControllerHarness(Harness):
    """Harness of a controller; the interfaces report what they like.

    Parameters
    ----------
    network : Network
        Network with circuits.
    name : str
        Name of the controller's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *controller_ports(network))
        self.cycle = NetworkCycle(self, network)


def _clocks(harness: ControllerHarness) -> None:
    cycle = harness.cycle
    for rule in cycle.rules():
        harness.claim(rule)
    pending = harness.register(1, "pending")
    harness.m.d.sync += pending.eq(harness.port("reports").any())
    harness.claim(cycle.control.begin == ((~cycle.cycling | cycle.last) & pending))
    running = harness.inside("core.running")
    counted = harness.inside("core.clock", (cycle.clocks - 1).bit_length())
    harness.claim(running == cycle.cycling)
    harness.claim(~running | (counted == cycle.clock))
    harness.claim(harness.inside("core.pending") == pending)
    harness.cover(cycle.control.begin)
    harness.cover(cycle.control.sample)


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller."""
    topology: Any = network.topology
    return [
        Property(
            name="clocks",
            text="while a PE has a packet network cycle follows network cycle; acknowledges are "
            "looked at, and circuits released, each in its clock",
            claim=_clocks,
            cover=4 * topology.levels + 8,
        )
    ]
