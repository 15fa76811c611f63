"""Claims about the buffer between a router and its node, which keeps a beat that waits."""

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ..observed.node_side import is_wrong, skid_path, voted_last
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


def claim_shown_beat(
    harness: RouterHarness, port: int, flit: data.View, offered: Value, ready: Value
) -> tuple[Value, Value]:
    """Claim what the skid buffer keeps; with parity also what the marker does.

    Returns
    -------
    tuple of (Value, Value)
        Whether the skid buffer keeps a flit; beat of that flit, or of the one that is offered.
    """
    if not harness.network.has_parity:
        beat = Cat(flit.data, flit.last, flit.source, _lost(flit))
        return claim_skid(harness, port, beat, offered, ready)
    address = harness.constant(harness.at_node("address", port))
    wrong = is_wrong(flit, address)
    given = Cat(wrong if name == "wrong" else flit[name] for name in flit.shape().members)
    full, kept = claim_skid(harness, port, given, offered, ready)
    shown = data.View(flit.shape(), kept)
    # A beat that waits while others go to the node is marked as it came.
    harness.claim(~full | (shown.wrong == is_wrong(shown, address)))
    taken = (full | offered) & ready
    return full, _marked(harness, port, shown, taken)


def _marked(harness: RouterHarness, port: int, flit: data.View, taken: Value) -> Value:
    """Beat of a flit; wrong from the first wrong flit of a packet to its last."""
    marked = harness.register(1, harness.at_node("marked", port))
    is_last, found = voted_last(flit), marked | flit.wrong
    with harness.m.If(taken):
        harness.m.d.sync += marked.eq(found & ~is_last)
    path = skid_path(harness.network, port).removesuffix(".skid")
    harness.claim(harness.inside(f"{path}.marked") == marked)
    harness.cover(taken & marked & is_last)
    harness.cover(taken & found & ~marked)
    return Cat(flit.data, is_last, flit.source, found, _lost(flit))


def _lost(flit: data.View) -> Value:
    """Flag of a flit that ends a packet which a dead link cut; of no bits elsewhere."""
    return flit.lost if "lost" in flit.shape().members else Const(0, 0)
