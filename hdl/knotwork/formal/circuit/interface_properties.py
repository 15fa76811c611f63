"""Properties of a PE's interface in circuit-switched networks."""

from collections.abc import Sequence

from ...gateware.circuit.layouts import ends_early
from ...network import Network
from ...routing.circuits import cycle_clocks
from ..property import Property
from .interface_harness import InterfaceHarness
from .interface_receiving import ejection
from .interface_reports import reports
from .interface_sending import injection, offers
from .nodes import levels_of, longest_packet


def _claim_assertions(harness: InterfaceHarness) -> None:
    harness.cover(harness.down.is_flit)


def _reports_property(kept: Property, taken: Property, deep: int) -> Property:
    return Property(
        name="reports",
        text="it tells the controller that it is active while it waits for an acknowledge, or for "
        "the last flit of a packet whose header it acknowledged",
        claim=reports,
        depth=deep,
        lemmas=(kept, taken),
        cover=taken.cover,
    )


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
        *([_reports_property(kept, taken, deep)] if ends_early(network) else ()),
        Property(
            name="assertions",
            text="the assertions in the Verilog hold",
            claim=_claim_assertions,
            lemmas=(kept, taken),
            claims_assertions=True,
            cover=reach,
        ),
    ]
