"""Claims about the stream to the node."""

from ...property import Property
from ..claims.streams import claim_ejected, claim_held_beats
from .harness import CreditHarness


def _ejection(harness: CreditHarness) -> None:
    for port in harness.kind.node_ports:
        output = harness.outputs[port]
        gate = harness.inside(f"{harness.at_node('eject', port)}_valid")
        full = claim_ejected(harness, port, output.flit, gate)
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
