"""Networks of circuits: switches, nodes' interfaces and the controller."""

from collections.abc import Sequence
from typing import Any

from ...network import Network
from ...routing.circuits import cycle_clocks
from ..prover import Property
from .controller import ControllerHarness, controller_properties
from .crossing import properties
from .interface import InterfaceHarness, injection, offers
from .receiver import ejection
from .switch import SwitchHarness


def interface_properties(network: Network) -> Sequence[Property]:
    """Properties of a PE's interface, lemmas first."""
    topology: Any = network.topology
    reach = 6 * topology.levels + 8
    # Some faults show with the second packet only.
    deep = min(2 * cycle_clocks(topology, network.hardware.max_packet) + 8, 50)
    kept = Property(
        name="injection",
        text="beats of a packet are kept as they came; one that is too long, or to no PE, is "
        "refused whole",
        claim=injection,
        cover=2 * network.hardware.max_packet + reach,
    )
    return [
        kept,
        Property(
            name="offers",
            text="the oldest packet's header is on the link at clock 0 of each network cycle, "
            "again if it was refused; with an acknowledge its flits follow, without a gap",
            claim=offers,
            depth=deep,
            lemmas=(kept,),
            cover=2 * reach + network.hardware.max_packet,
        ),
        taken := Property(
            name="ejection",
            text="a header is acknowledged if there is room for the longest packet; what comes is "
            "given to the PE, once, in order",
            claim=ejection,
            depth=deep,
            cover=2 * reach + network.hardware.max_packet,
        ),
        Property(
            name="assertions",
            text="what the Verilog asserts of itself",
            claim=lambda harness: harness.cover(harness.down.is_flit),
            lemmas=(kept, taken),
            own=True,
            cover=reach,
        ),
    ]


__all__ = [
    "ControllerHarness",
    "InterfaceHarness",
    "SwitchHarness",
    "controller_properties",
    "interface_properties",
    "properties",
]
