"""Properties of a PE's interface in circuit-switched networks."""

from collections.abc import Sequence

from ...network import Network
from ...routing.circuits import cycle_clocks
from ..property import Property
from .contract import levels_of, longest_packet
from .interface_harness import InterfaceHarness
from .interface_receiving import ejection
from .interface_sending import injection, offers


def _assertions(harness: InterfaceHarness) -> None:
    harness.cover(harness.down.is_flit)


def interface_properties(network: Network) -> Sequence[Property]:
    """Properties of a PE's interface, lemmas first."""
    topology, longest = levels_of(network), longest_packet(network)
    reach = 6 * topology.levels + 8
    # Some faults show only with the second packet.
    deep = min(2 * cycle_clocks(topology, longest) + 8, 50)
    kept = Property(
        name="injection",
        text="beats of a packet are kept as they came; one that is too long, or to no PE, is "
        "refused whole",
        claim=injection,
        cover=2 * longest + reach,
    )
    return [
        kept,
        Property(
            name="offers",
            text="the oldest packet's header is on the link in cycle 0 of each network cycle, "
            "again if it was refused; with an acknowledge its flits follow, without a gap",
            claim=offers,
            depth=deep,
            lemmas=(kept,),
            cover=2 * reach + longest,
        ),
        taken := Property(
            name="ejection",
            text="a header is acknowledged if there is room for the longest packet; its flits are "
            "given to the PE, once, in order",
            claim=ejection,
            depth=deep,
            cover=2 * reach + longest,
        ),
        Property(
            name="assertions",
            text="the assertions in the Verilog hold",
            claim=_assertions,
            lemmas=(kept, taken),
            own=True,
            cover=reach,
        ),
    ]
