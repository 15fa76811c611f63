"""Claims about a packet router's ports: its streams, and what its node gives and gets."""

from amaranth.hdl import Cat, Mux

from ....topology import LOCAL
from ...prover import Property
from ..harness import PacketBench
from .injection import INJECTION


def _streams(bench: PacketBench) -> None:
    names = ("tdata", "tlast", "tid")
    beat = Cat(bench.port(f"m_axis_{name}") for name in names)
    valid, ready = bench.port("m_axis_tvalid"), bench.port("m_axis_tready")
    bench.claim_held(valid, ready, beat, "m_axis")
    bench.cover(valid & ~ready)
    for output in bench.outputs:
        if output.port == LOCAL:
            continue
        flit = bench.link(output.port, "o_flit")
        for vc in output.vcs:
            shown, room = output.valid[vc], output.ready[vc]
            bench.claim_held(shown, room, flit, f"{output.name}_vc{vc}")
            if any(bench.can_happen(turn) for _, turn in output.turns(vc)):
                bench.cover(shown & (~room if output.is_plain else room))


def _ejection(bench: PacketBench) -> None:
    """What the node gets is what left the router: itself, or the beat that was kept from before."""
    local = next(output for output in bench.outputs if output.port == LOCAL)
    beat = Cat(bench.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
    valid, ready = bench.port("m_axis_tvalid"), bench.port("m_axis_tready")
    given, offered = local.flit.as_value(), local.valid[0] if len(local.valid) > 1 else local.valid
    full, kept = bench.register(1, "full"), bench.register(len(beat), "kept")
    bench.m.d.sync += full.eq(valid & ~ready)
    with bench.m.If(~full):
        bench.m.d.sync += kept.eq(given)
    path = "core.interface.skid"
    bench.claim(bench.inside(f"{path}.full") == full)
    bench.claim(~full | (bench.inside(f"{path}.kept", len(beat)) == kept))
    bench.claim(valid == (full | offered))
    bench.claim(local.ready == ~full)
    bench.claim(~valid | (beat == Mux(full, kept, given)))
    bench.cover(valid & ready & full)


EJECTION = Property(
    name="ejection",
    text="the node gets the beats that were ejected, each once, in order",
    claim=_ejection,
)


def streams(base: tuple[Property, ...]) -> Property:
    """Property that rests on levels, grants and the order of all channels."""
    return Property(
        name="streams",
        text="on m_axis and on links nothing changes, and valid does not fall, before it is taken",
        claim=_streams,
        lemmas=base,
    )


def node_properties(*, plain: bool) -> list[Property]:
    """Properties of the node's interface."""
    return [INJECTION] if plain else [INJECTION, EJECTION]
