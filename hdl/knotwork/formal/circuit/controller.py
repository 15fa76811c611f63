"""Controller of a network with circuits: its harness and its properties."""

from collections.abc import Sequence

from ...emit.modules import controller_ports
from ...network import Network
from ..harness import Harness
from ..property import Property
from .contract import NetworkCycle, cycle_length, levels_of


class ControllerHarness(Harness):
    """Harness of a controller, to which interfaces may report anything.

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


def _cycles(harness: ControllerHarness) -> None:
    cycle = harness.cycle
    for rule in cycle.rules():
        harness.claim(rule)
    pending = harness.register(1, "pending")
    harness.m.d.sync += pending.eq(harness.port("reports").any())
    harness.claim(cycle.control.begin == ((~cycle.cycling | cycle.last) & pending))
    running = harness.inside("running")
    counted = harness.inside("clock", (cycle.length - 1).bit_length())
    harness.claim(running == cycle.cycling)
    harness.claim(~running | (counted == cycle.time))
    harness.claim(harness.inside("pending") == pending)
    harness.cover(cycle.control.begin)
    harness.cover(cycle.control.sample)


def controller_properties(network: Network) -> Sequence[Property]:
    """Properties of a controller."""
    return [
        Property(
            name="clocks",
            text="while a PE has a packet, network cycles follow each other; acknowledges are "
            "sampled, and circuits released, each in its cycle",
            claim=_cycles,
            depth=cycle_length(network) + 4,  # a release at the wrong time must be seen
            cover=4 * levels_of(network).levels + 8,
        )
    ]
