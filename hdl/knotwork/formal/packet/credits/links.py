"""Claims about what leaves: the flit granted in the cycle before, whole; packets unmixed."""

from amaranth.hdl import Cat, Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...property import Property
from ..observed.channel import header_of
from ..observed.node_side import skid_path
from .grants import senders
from .harness import CreditHarness
from .observed.output_port import OutputPort


def _crossing(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        sent = harness.register(len(output.passing), f"sent_{output.name}")
        if output.is_local:
            _gate(harness, output, sent)
            continue
        harness.m.d.sync += sent.eq(output.passing)
        valid = harness.link(output.port, "o_valid")
        flit = harness.link(output.port, "o_flit")
        harness.claim(is_one_hot_or_zero(valid))
        harness.claim(~valid.any() | (flit == sent))
        for vc in output.vcs:
            taken = harness.register(1, f"taken_{output.name}_vc{vc}")
            harness.m.d.sync += taken.eq(output.taken(vc))
            harness.claim(valid[vc] == taken)


def _gate(harness: CreditHarness, output: OutputPort, sent: Value) -> None:
    """Claim that the flit to the node waits at the gate until the skid buffer has room.

    What it goes into instead by a virtual channel above 0 takes it at once.
    """
    full = harness.register(len(output.vcs), harness.at_node("full_gate", output.port))
    room = harness.inside(f"{skid_path(harness.network, output.port)}.i_ready")
    steps = room | ~full[0]
    taken = [output.taken(vc) for vc in output.vcs]
    with harness.m.If(steps):
        harness.m.d.sync += [full.eq(Cat(taken)), sent.eq(output.passing)]
    harness.claim(room == output.room(0))
    harness.claim(~taken[0] | room)
    harness.claim(~output.granted.any() | steps)
    valid = harness.inside(f"{harness.at_node('eject', output.port)}_valid", len(full))
    harness.claim(valid == full)
    harness.claim(is_one_hot_or_zero(full))
    harness.claim(~full.any() | (output.flit.as_value() == sent))
    harness.cover(full[0] & ~room)
    path = harness.at_node("node_interface", output.port)
    for place, vc in enumerate(output.vcs[1:], 1):
        ready = harness.inside(f"{path}.i_ready", harness.network.virtual_channels)
        harness.claim(~full[place] | ready[vc])
        harness.cover(full[place])


def _wormhole(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if not output.is_local:
            for vc in output.vcs:
                _one_header(harness, output, vc)


def _one_header(harness: CreditHarness, output: OutputPort, vc: int) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    receiver = harness.receivers[output.port, vc]
    flit = output.link_flit
    opened = harness.register(1, f"opened_{receiver.name}")
    before = harness.register(len(header_of(flit)), f"before_{receiver.name}")
    with harness.m.If(receiver.sent):
        harness.m.d.sync += [opened.eq(~flit.last), before.eq(header_of(flit))]
    harness.claim(~(receiver.sent & opened) | (header_of(flit) == before))
    harness.claim(output.busy(vc) == Mux(receiver.sent, ~flit.last, opened))
    for channel, turn in senders(harness, output, vc):
        packet = channel.going(turn)
        newest = Mux(receiver.sent, header_of(flit), before)
        harness.claim(~packet.open | (packet.header == newest))


def link_properties(base: tuple[Property, ...]) -> tuple[Property, Property]:
    """Properties of what leaves, which rest on `base`: queues, packets, holders and grants."""
    crossing = Property(
        name="crossing",
        text="a flit that is granted is on its link in the next cycle, whole and alone; to the "
        "node, it waits at the gate",
        claim=_crossing,
        lemmas=base,
    )
    wormhole = Property(
        name="wormhole",
        text="a virtual channel carries the flits of one packet from its head to its tail, "
        "without parity all with one header",
        claim=_wormhole,
        lemmas=(*base, crossing),
    )
    return crossing, wormhole
