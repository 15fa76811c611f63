"""Claims about the stream to the node."""

from amaranth.hdl import Cat

from ....topology import LOCAL
from ...property import Property
from ..claims.streams import claim_ejected
from .harness import CreditHarness


def _ejection(harness: CreditHarness) -> None:
    output = harness.outputs[LOCAL]
    full = claim_ejected(harness, output.flit, harness.inside("eject_valid"))
    harness.claim(output.room(0) == ~full)


def _held(harness: CreditHarness) -> None:
    beat = Cat(harness.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    harness.claim_held(valid, ready, beat, "m_axis")
    harness.cover(valid & ~ready)


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
