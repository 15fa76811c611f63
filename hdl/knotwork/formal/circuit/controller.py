"""Controller of circuits: its bench and its properties."""

from collections.abc import Sequence
from typing import Any

from ...emit.modules import controller_ports
from ...network import Network
from ..harness import Bench
from ..prover import Property
from .contract import NetworkCycle


class ControllerBench(Bench):
    """Bench of a controller; the interfaces report what they like.

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


def _clocks(bench: ControllerBench) -> None:
    cycle = bench.cycle
    for rule in cycle.rules():
        bench.claim(rule)
    pending = bench.register(1, "pending")
    bench.m.d.sync += pending.eq(bench.port("reports").any())
    bench.claim(cycle.control.begin == ((~cycle.cycling | cycle.last) & pending))
    running = bench.inside("core.running")
    counted = bench.inside("core.clock", (cycle.clocks - 1).bit_length())
    bench.claim(running == cycle.cycling)
    bench.claim(~running | (counted == cycle.clock))
    bench.claim(bench.inside("core.pending") == pending)
    bench.cover(cycle.control.begin)
    bench.cover(cycle.control.sample)


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
