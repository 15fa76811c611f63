"""Claims about the stream to the node."""

from ...property import Property
from ..claims.streams import claim_ejected, claim_held_beats
from ..claims.units import claim_shared_ejection
from .harness import CreditHarness


def _ejection(harness: CreditHarness) -> None:
    for port in harness.kind.node_ports:
        output = harness.outputs[port]
        waits = harness.inside(f"{harness.at_node('eject', port)}_valid", len(output.vcs))
        if harness.network.has_multicast:
            full = claim_shared_ejection(harness, port, output.flit, waits[0])
        else:
            full = claim_ejected(harness, port, output.flit, waits)
        harness.claim(output.room(0) == ~full)


def _held(harness: CreditHarness) -> None:
    for port in harness.kind.node_ports:
        claim_held_beats(harness, port)


EJECTION = Property(
    name="ejection",
    text="the node gets the flits at the gate, each once, in order",
    claim=_ejection,
)
STREAMS = Property(
    name="streams",
    text="on m_axis, valid and payload stay until a transfer",
    claim=_held,
    lemmas=(EJECTION,),
)
