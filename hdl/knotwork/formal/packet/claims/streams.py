"""Claims about the beats that a node gets."""

from amaranth.hdl import Value
from amaranth.lib import data

from ..router_harness import RouterHarness
from .skid import claim_shown_beat


def claim_held_beats(harness: RouterHarness, port: int) -> None:
    """Claim that a beat to the node at a port stays until it is taken."""
    prefix = harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    harness.claim_held(valid, ready, harness.beat(port), prefix)
    harness.cover(valid & ~ready)


def claim_ejected(harness: RouterHarness, port: int, flit: data.View, offered: Value) -> Value:
    """Claim that the node gets the beat that leaves the router, or the one that the skid kept.

    Returns
    -------
    Value
        Whether the skid buffer keeps a beat.
    """
    beat, prefix = harness.beat(port), harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    full, shown = claim_shown_beat(harness, port, flit, offered, ready)
    harness.claim(valid == (full | offered))
    harness.claim(~valid | (beat == shown))
    harness.cover(valid & ready & full)
    return full
