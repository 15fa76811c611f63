"""Claims about what a router shows a monitor: flits that come, channels that wait, and for what."""

from amaranth.hdl import Cat, Value

from ....monitoring.channels import input_probes
from ...property import Property
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.copy_channel import CopyChannel
from .observed.copy_front import CopyFront


def _probes(harness: CreditHarness) -> None:
    inputs, nodes = input_probes(harness.module), harness.module.node_ports
    flits, waits, wants = (harness.port(f"probe_{name}") for name in ("flits", "waits", "wants"))
    first = 0
    for place, one in enumerate(inputs):
        input_place = one.port, one.virtual_channel
        end = first + len([t for t in harness.module.turns if t[:2] == input_place])
        channel = harness.queued.get(input_place)
        if channel is not None:  # else it is of another class of traffic
            harness.claim(flits[place] == channel.arrives)
            harness.claim(waits[place] == ((channel.readable != 0) & ~channel.leaves))
            harness.claim(wants[first:end] == _wants(harness, channel))
        first = end
    for place, port in enumerate(nodes, len(inputs)):
        prefix = harness.at_node("m_axis", port)
        valid, ready = (harness.port(f"{prefix}_{name}") for name in ("tvalid", "tready"))
        harness.claim(flits[place] == (valid & ready))
        harness.claim(waits[place] == (valid & ~ready))
    for probe in (flits, waits, wants):
        harness.cover(probe.any())


def _wants(harness: CreditHarness, channel: CreditChannel) -> Value:
    """Turns that a channel asks for, or asked for when the port showed it; never another's."""
    asks = Cat(channel.asks(turn) for turn in channel.turns)
    front = channel.front
    if len(front.vcs) == 1:
        return asks
    asked = harness.register(len(asks), f"asked_{channel.name}")
    ends = channel.leaves & front.last
    with harness.m.If(front.shown(channel.vc)):
        harness.m.d.sync += asked.eq(asks & ~ends.replicate(len(asks)))
    harness.claim(harness.inside(f"input_{front.name}.asked_vc{channel.vc}", len(asks)) == asked)
    kept = (channel.readable != 0) & ~front.shown(channel.vc)
    wants = harness.named(asks | (asked & kept.replicate(len(asks))), f"wants_{channel.name}")
    # What is asked is a turn of the flit that waits: in the middle of a packet that of the packet.
    packet = channel.copy if isinstance(channel, CopyChannel) else channel.taken
    is_shown = front.shown(channel.vc)
    harness.claim(is_shown | ~packet.open | ((asked & ~packet.turn) == 0))
    harness.claim(is_shown | packet.open | (channel.readable != 0) | (asked == 0))
    if not isinstance(front, CopyFront):
        for word, ahead in zip(channel.queue.words, channel.queue.ahead, strict=True):
            is_head = kept & ~packet.open & (ahead == channel.gone)
            turns = channel.turn_of(channel.queue.code(word))
            harness.claim(~is_head | ((wants & ~turns) == 0))
    harness.cover((asked & kept.replicate(len(asks))).any())
    return wants


def probes(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets of all ports, holders and grants."""
    return Property(
        name="probes",
        text="the monitor is shown each flit that comes, each channel that holds a flit and gives "
        "none, and the turn that it asks for, or asked for when its input last showed it",
        claim=_probes,
        lemmas=base,
    )
