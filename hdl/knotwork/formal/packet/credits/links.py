"""Claims about what leaves: the flit granted in the cycle before, whole; packets unmixed."""

from typing import NamedTuple

from amaranth.hdl import Cat, Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...property import Property
from ..observed.channel import header_of
from ..observed.node_side import skid_path
from .grants import senders
from .harness import CreditHarness
from .observed.output_port import OutputPort


class _Sent(NamedTuple):
    """A flit on its way to a link, 0 without one, and a bit for each virtual channel."""

    flit: Value
    taken: Value

    def a_cycle_later(self, harness: CreditHarness, name: str) -> "_Sent":
        """The same in registers."""
        later = _Sent(
            harness.register(len(self.flit), name),
            harness.register(len(self.taken), f"{name}_taken"),
        )
        harness.m.d.sync += [later.flit.eq(self.flit), later.taken.eq(self.taken)]
        return later


def _crossing(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if output.is_local:
            sent = harness.register(len(output.passing), f"sent_{output.name}")
            _gate(harness, output, sent)
            continue
        granted = _Sent(output.passing, Cat(output.taken(vc) for vc in output.vcs))
        sent = granted.a_cycle_later(harness, f"sent_{output.name}")
        if output.is_staged:
            _stage(harness, output, sent)
            sent = sent.a_cycle_later(harness, f"crossed_{output.name}")
        valid = harness.link(output.port, "o_valid")
        own = Cat(valid[vc] for vc in output.vcs)
        harness.claim(is_one_hot_or_zero(own))
        harness.claim(~own.any() | (harness.link(output.port, "o_flit") == sent.flit))
        harness.claim(own == sent.taken)


def _stage(harness: CreditHarness, output: OutputPort, sent: _Sent) -> None:
    """Claim that what was granted in the cycle before is before the crossbar."""
    granted = harness.register(len(output.granted), f"granted_{output.name}")
    harness.m.d.sync += granted.eq(output.granted)
    harness.claim(output.crosses == granted)
    harness.claim(output.crossing == sent.flit)
    receivers = [harness.receivers[output.port, vc] for vc in output.vcs]
    harness.claim(Cat(receiver.sent for receiver in receivers) == sent.taken)


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
    with harness.m.If(receiver.on_link):
        harness.m.d.sync += [opened.eq(~flit.last), before.eq(header_of(flit))]
    is_open, header = opened, before
    for there, newer in output.under_way(receiver):
        harness.claim(~(there & is_open) | (header_of(newer) == header))
        is_open = Mux(there, ~newer.last, is_open)
        header = Mux(there, header_of(newer), header)
    harness.claim(output.busy(vc) == is_open)
    for channel, turn in senders(harness, output, vc):
        packet = channel.going(turn)
        harness.claim(~packet.open | (packet.header == header))


def link_properties(base: tuple[Property, ...]) -> tuple[Property, Property]:
    """Properties of what leaves, which rest on `base`: queues, packets, holders and grants."""
    crossing = Property(
        name="crossing",
        text="a flit that is granted is on its link in the next cycle, or in the one after with "
        "pipeline=3, whole and alone; to the node, it waits at the gate",
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
