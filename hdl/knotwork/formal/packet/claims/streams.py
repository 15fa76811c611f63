"""Claims about a packet router's output ports: its streams, and the beats that its node gets."""

from amaranth.hdl import Cat, Value
from amaranth.lib import data

from ....network import RouterKind
from ...property import Property
from ..harness import PacketHarness
from ..observed.node_side import is_wrong, skid_path, voted_last
from ..router_harness import RouterHarness
from .injection import from_nodes
from .skid import claim_skid


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
    given: Value = Cat(flit.data, flit.last, flit.source)
    if harness.network.has_parity:
        wrong = is_wrong(flit, harness.constant(harness.at_node("address", port)))
        given = Cat(*(flit[name] for name in flit.shape().members if name != "wrong"), wrong)
    full, shown = claim_skid(harness, port, given, offered, ready)
    harness.claim(valid == (full | offered))
    if harness.network.has_parity:
        shown = _marked(harness, port, data.View(flit.shape(), shown))
    harness.claim(~valid | (beat == shown))
    harness.cover(valid & ready & full)
    return full


def _marked(harness: RouterHarness, port: int, flit: data.View) -> Value:
    """Beat of a flit; wrong from the first wrong flit of a packet to its last."""
    prefix = harness.at_node("m_axis", port)
    taken = harness.port(f"{prefix}_tvalid") & harness.port(f"{prefix}_tready")
    marked = harness.register(1, harness.at_node("marked", port))
    is_last, found = voted_last(flit), marked | flit.wrong
    with harness.m.If(taken):
        harness.m.d.sync += marked.eq(found & ~is_last)
    path = skid_path(harness.network, port).removesuffix(".skid")
    harness.claim(harness.inside(f"{path}.marked") == marked)
    harness.cover(taken & marked & is_last)
    harness.cover(taken & found & ~marked)
    return Cat(flit.data, is_last, flit.source, found)


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
