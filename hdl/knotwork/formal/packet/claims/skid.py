"""Claims about the buffer between a router and its node, which keeps a beat that waits."""

from amaranth.hdl import Mux, Signal, Value

from ..observed.node_side import skid_path
from ..router_harness import RouterHarness


def claim_skid(
    harness: RouterHarness, port: int, given: Value, offered: Value, taken: Value
) -> tuple[Signal, Signal]:
    """Claim that the skid buffer keeps a beat that is offered while none of it is taken.

    Returns
    -------
    (Signal, Signal)
        Whether it keeps a beat, and the beat that it shows.
    """
    full = harness.register(1, harness.at_node("full", port))
    kept = harness.register(len(given), harness.at_node("kept", port))
    harness.m.d.sync += full.eq((full | offered) & ~taken)
    with harness.m.If(~full):
        harness.m.d.sync += kept.eq(given)
    path = skid_path(harness.network, port)
    harness.claim(harness.inside(f"{path}.full") == full)
    harness.claim(~full | (harness.inside(f"{path}.kept", len(kept)) == kept))
    return full, harness.named(Mux(full, kept, given), harness.at_node("shown", port))
