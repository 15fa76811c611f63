"""Claims about a packet router's output ports: its streams, and the beats that its node gets."""

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ....topology import LOCAL
from ...property import Property
from ..harness import PacketHarness
from ..router_harness import RouterHarness
from .injection import INJECTION


def _streams(harness: PacketHarness) -> None:
    names = ("tdata", "tlast", "tid")
    beat = Cat(harness.port(f"m_axis_{name}") for name in names)
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    harness.claim_held(valid, ready, beat, "m_axis")
    harness.cover(valid & ~ready)
    for output in harness.outputs:
        if output.port == LOCAL:
            continue
        flit = harness.link(output.port, "o_flit")
        for vc in output.vcs:
            shown, room = output.valid[vc], output.ready[vc]
            harness.claim_held(shown, room, flit, f"{output.name}_vc{vc}")
            if any(harness.can_happen(turn) for _, turn in output.turns(vc)):
                harness.cover(shown & (~room if output.is_plain else room))


def _ejection(harness: PacketHarness) -> None:
    local = harness.output(LOCAL)
    offered = local.valid[0] if len(local.valid) > 1 else local.valid
    harness.claim(local.ready == ~claim_ejected(harness, local.flit, offered))


def claim_ejected(harness: RouterHarness, flit: data.View, offered: Value) -> Value:
    """Claim that the node gets the beat that leaves the router, or the one that the skid kept.

    Returns
    -------
    Value
        Whether the skid buffer keeps a beat.
    """
    beat = Cat(harness.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    given = Cat(flit.data, flit.last, flit.source)
    full, kept = harness.register(1, "full"), harness.register(len(beat), "kept")
    harness.m.d.sync += full.eq(valid & ~ready)
    with harness.m.If(~full):
        harness.m.d.sync += kept.eq(given)
    path = "node_interface.skid"
    harness.claim(harness.inside(f"{path}.full") == full)
    harness.claim(~full | (harness.inside(f"{path}.kept", len(beat)) == kept))
    harness.claim(valid == (full | offered))
    harness.claim(~valid | (beat == Mux(full, kept, given)))
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


def node_properties(*, plain: bool) -> list[Property]:
    """Properties of the node's interface."""
    return [INJECTION] if plain else [INJECTION, EJECTION]
