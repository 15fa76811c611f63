"""Claims about a packet router's output ports: its streams, and the beats that its node gets."""

from amaranth.hdl import Value
from amaranth.lib import data

from ....network import RouterKind
from ...property import Property
from ..harness import PacketHarness
from ..router_harness import RouterHarness
from .injection import from_nodes
from .skid import claim_shown_beat


def _streams(harness: PacketHarness) -> None:
    for port in harness.kind.node_ports:
        claim_held_beats(harness, port)
    for output in harness.outputs:
        if output.is_local:
            continue
        flit = harness.link(output.port, "o_flit")
        for vc in output.vcs:
            shown, room = output.valid[vc], output.ready[vc]
            harness.claim_held(shown, room, flit, f"{output.name}_vc{vc}")
            if any(harness.can_happen(turn) for _, turn in output.turns(vc)):
                harness.cover(shown & (~room if output.is_plain else room))


def claim_held_beats(harness: RouterHarness, port: int) -> None:
    """Claim that a beat to the node at a port stays until it is taken."""
    prefix = harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    harness.claim_held(valid, ready, harness.beat(port), prefix)
    harness.cover(valid & ~ready)


def _ejection(harness: PacketHarness) -> None:
    for local in harness.outputs:
        if local.is_local and not local.is_plain:
            offered = local.valid[0] if len(local.valid) > 1 else local.valid
            full = claim_ejected(harness, local.port, local.flit, offered)
            harness.claim(local.ready == ~full)


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


EJECTION = Property(
    name="ejection",
    text="the node gets the beats that were ejected, each once, in order",
    claim=_ejection,
)


def streams(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: levels, grants and the order of all channels."""
    return Property(
        name="streams",
        text="on m_axis and on links, valid and payload stay until a transfer",
        claim=_streams,
        lemmas=base,
    )


def node_properties(kind: RouterKind) -> list[Property]:
    """Properties of the nodes' interfaces."""
    skids = any(not kind.is_plain_output(port) for port in kind.node_ports)
    return [*from_nodes(kind), *([EJECTION] if skids else [])]
