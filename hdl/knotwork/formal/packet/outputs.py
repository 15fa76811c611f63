"""Claims about fronts and outputs: who is shown and granted, what leaves, and how soon."""

from itertools import permutations
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Mux, Value

from ...gateware.component import Component
from ...gateware.packet.router import CreditRouter
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.parts.buffer import SkidBuffer
from ...network import RouterKind
from ...routing import Turn
from ...untyped import Interface
from ..property import Property
from .channels import header_of, skid_path
from .credit_channel import CreditChannel
from .credit_harness import CreditHarness
from .node_claims import claim_ejected, claim_held_beats, claim_shared_ejection
from .ports import Front, OutputPort
from .queues import QUEUES
from .router_harness import LENGTH_BITS
from .special_channels import CopyFront


def _claim_rotation(harness: CreditHarness) -> None:
    for front in harness.fronts.values():
        _claim_next_at_front(harness, front)
        for place in range(len(front.vcs)):
            _claim_wait_for_front(harness, front, place)


def _claim_next_at_front(harness: CreditHarness, front: Front) -> None:
    """Claim which channel is shown in the next cycle."""
    count, channels = (len(front.vcs), [harness.queued[front.port, vc] for vc in front.vcs])
    eligible, granted = harness.eligible(front), harness.granted(front)
    shown, arrives = _vcs_at_front(front), Cat(channel.becomes_readable for channel in channels)
    behind = [_behind(channels, place) for place in range(count)]
    other = harness.named(_chosen(shown, behind), f"other_{front.name}")
    follows = Cat(
        front.is_of(one.vc) & ((one.readable > 1) | (front.last & one.leaves_again))
        for one in channels
    ).any()
    stays = Mux(granted, follows & ~(front.last & other.any()), eligible | ~other.any())
    # Whatever is shown while nothing is there does not matter.
    after = Mux(stays & front.occupied, shown, Mux(other.any(), other, arrives))
    then = harness.register(count, f"then_{front.name}")
    harness.m.d.sync += then.eq(after)
    harness.claim(~front.occupied | (shown == then))
    harness.claim(front.occupied == then.any())
    harness.cover(front.occupied & granted & follows)
    if sum(any(map(harness.can_happen, one.turns)) for one in channels) > 1:
        harness.cover(front.occupied & ~eligible & other.any())


def _vcs_at_front(front: Front) -> Value:
    """Channel at the front, a bit each."""
    return Cat(front.is_of(vc) for vc in front.vcs)


def _behind(channels: list[CreditChannel], place: int) -> Value:
    """First channel behind another, cyclically, that holds a flit; 0 if none does."""
    count = len(channels)
    found: Value = Const(0, count)
    for step in reversed(range(1, count)):
        number = (place + step) % count
        found = Mux(channels[number].readable != 0, 1 << number, found)
    return found[:count]


def _chosen(one_hot: Value, values: list[Value]) -> Value:
    """Value at the bit that is set."""
    found: Value = Const(0, len(values[0]))
    for bit, value in zip(one_hot, values, strict=True):
        found = found | (bit.replicate(len(value)) & value)
    return found


def _claim_wait_for_front(harness: CreditHarness, front: Front, place: int) -> None:
    """Claim how many others are shown before a channel that holds a flit."""
    count, vc = len(front.vcs), front.vcs[place]
    channel = harness.queued[front.port, vc]
    passed = harness.register(range(count + 1), f"passed_{channel.name}")
    before = harness.register(count, f"before_{channel.name}")
    shown = _vcs_at_front(front)
    waits = (channel.readable != 0) & ~shown[place]
    others = harness.named(
        Mux(waits, Mux(passed == 0, 1, passed + (shown != before)), 0), f"others_{channel.name}"
    )
    harness.m.d.sync += [before.eq(shown), passed.eq(others)]
    bits = count.bit_length()
    away = _chosen(shown, [Const((place - one) % count, bits) for one in range(count)])
    harness.claim(~waits | (others + away <= count))
    reached = [
        any(map(harness.can_happen, harness.queued[front.port, one].turns)) for one in front.vcs
    ]
    if reached[place]:
        harness.cover(shown[place] & (passed == sum(reached) - 1))


ROTATION = Property(
    name="rotation",
    text="a flit that cannot move, and a tail that leaves, give the front to the next channel that "
    "holds a flit: each is shown after one turn of the others at most",
    claim=_claim_rotation,
    lemmas=(QUEUES,),
)


Sender = tuple[CreditChannel, Turn]


def senders(harness: CreditHarness, output: OutputPort, vc: int) -> list[Sender]:
    """Input channels that lead to a virtual channel of an output, each with its turn."""
    turns = [t for t in harness.kind.turns if (t.output_port, t.output_vc) == (output.port, vc)]
    return [(harness.queued[turn.input_port, turn.input_vc], turn) for turn in turns]


def _claim_holders(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        harness.claim(is_one_hot_or_zero(output.granted))
        for vc in output.vcs:
            leading = senders(harness, output, vc)
            opened = Cat(channel.departing(turn).open for channel, turn in leading)
            harness.claim(is_one_hot_or_zero(opened))
            harness.claim(output.busy(vc) == opened.any())
            for channel, turn in leading:
                goes, is_open = channel.leaves_by(turn), channel.departing(turn).open
                harness.claim(~goes | (is_open == output.busy(vc)))
                if len(output.vcs) == 1:
                    harness.claim(~is_open | _is_first(output, channel))
                if harness.can_happen(turn):
                    harness.cover(goes & is_open)


def _is_first(output: OutputPort, channel: CreditChannel) -> Value:
    """Whether a channel's input comes before all others at an output."""
    number = output.fronts.index(channel.front)
    before = [is_first for (_, other), is_first in output.first.items() if other == number]
    return ~Cat(before).any()


def _claim_grants(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        granted, eligible = output.granted, output.eligible
        harness.claim(is_one_hot_or_zero(granted))
        harness.claim(granted.any() == (eligible.any() & output.is_open))
        harness.claim((granted & ~eligible) == 0)
        for (one, other), is_first in output.first.items():
            harness.claim(~(eligible[one] & eligible[other] & is_first) | ~granted[other])
        _claim_priorities(harness, output)
        reached = [harness.reaches(front, output) for front in output.fronts]
        for number, front in enumerate(output.fronts):
            if reached[number]:
                harness.cover(granted[number] & front.last & ~front.held)
                harness.cover(granted[number] & front.held)
        if any(harness.rivals(front, output) for front in output.fronts):
            harness.cover((eligible & ~granted).any())
    for front in harness.fronts.values():
        grants = Cat(harness.outputs[port].grants(front) for port in front.outputs)
        several = front.last & ~front.held if isinstance(front, CopyFront) else Const(0)
        harness.claim(is_one_hot_or_zero(grants) | several)


def _claim_priorities(harness: CreditHarness, output: OutputPort) -> None:
    """Claim that the order is total; that a tail puts its input last, and another flit first."""
    first = output.first
    for one, other, third in permutations(range(len(output.fronts)), 3):
        if one < other and one < third:  # each cycle once
            harness.claim(~(first[one, other] & first[other, third] & first[third, one]))
    for (one, other), is_first in first.items():
        if one > other:
            continue
        name = f"{output.name}_{one}_{other}"
        before = harness.register(1, f"before_{name}", init=1)
        rises, falls = harness.register(1, f"rises_{name}"), harness.register(1, f"falls_{name}")
        granted = output.granted
        tails = [front.last for front in output.fronts]
        harness.m.d.sync += [
            before.eq(is_first),
            rises.eq((granted[one] & ~tails[one]) | (granted[other] & tails[other])),
            falls.eq((granted[other] & ~tails[other]) | (granted[one] & tails[one])),
        ]
        harness.claim(~(rises & falls))
        harness.claim(is_first == ((before | rises) & ~falls))
        if harness.reaches(output.fronts[one], output):
            harness.cover(before & falls)


def holders_property(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, and packets of all ports."""
    return Property(
        name="holders",
        text="one packet at most holds a virtual channel of an output, from its head to its tail; "
        "it holds the only one of an output as the first in its order",
        claim=_claim_holders,
        lemmas=base,
    )


def grants_property(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets of all ports, and holders."""
    return Property(
        name="grants",
        text="an output and an input are granted once per cycle at most, to the first eligible "
        "flit in an order of the inputs that a tail leaves last, and another flit first",
        claim=_claim_grants,
        lemmas=base,
    )


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


def _claim_crossing(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if output.is_local:
            sent = harness.register(len(output.passing), f"sent_{output.name}")
            _claim_gate(harness, output, sent)
            continue
        granted = _Sent(output.passing, Cat(output.taken(vc) for vc in output.vcs))
        sent = granted.a_cycle_later(harness, f"sent_{output.name}")
        if output.is_staged:
            _claim_stage(harness, output, sent)
            sent = sent.a_cycle_later(harness, f"crossed_{output.name}")
        valid = harness.link(output.port, "o_valid")
        own = Cat(valid[vc] for vc in output.vcs)
        harness.claim(is_one_hot_or_zero(own))
        harness.claim(~own.any() | (harness.link(output.port, "o_flit") == sent.flit))
        harness.claim(own == sent.taken)


def _claim_stage(harness: CreditHarness, output: OutputPort, sent: _Sent) -> None:
    """Claim that what was granted in the cycle before is before the crossbar."""
    granted = harness.register(len(output.granted), f"granted_{output.name}")
    harness.m.d.sync += granted.eq(output.granted)
    harness.claim(output.crosses == granted)
    harness.claim(output.crossing == sent.flit)
    receivers = [harness.receivers[output.port, vc] for vc in output.vcs]
    harness.claim(Cat(receiver.sent for receiver in receivers) == sent.taken)


def _claim_gate(harness: CreditHarness, output: OutputPort, sent: Value) -> None:
    """Claim that the flit to the node waits at the gate until the skid buffer has room.

    What it goes into instead by a virtual channel above 0 takes it at once.
    """
    full = harness.register(len(output.vcs), harness.at_node("full_gate", output.port))
    skid = harness.component(skid_path(harness.network, output.port), SkidBuffer)
    room = harness.probe(skid.i.ready)
    steps = room | ~full[0]
    taken = [output.taken(vc) for vc in output.vcs]
    with harness.m.If(steps):
        harness.m.d.sync += [full.eq(Cat(taken)), sent.eq(output.passing)]
    harness.claim(room == output.has_space(0))
    harness.claim(~taken[0] | room)
    harness.claim(~output.granted.any() | steps)
    valid = harness.probe(harness.component("", CreditRouter).ejected[output.port])
    harness.claim(valid == full)
    harness.claim(is_one_hot_or_zero(full))
    harness.claim(~full.any() | (output.flit.as_value() == sent))
    harness.cover(full[0] & ~room)
    path = harness.at_node("node_interface", output.port)
    interface: Interface = harness.component(path, Component)
    for place, vc in enumerate(output.vcs[1:], 1):
        ready = harness.probe(interface.i.ready)
        harness.claim(~full[place] | ready[vc])
        harness.cover(full[place])


def _claim_wormhole(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if not output.is_local:
            for vc in output.vcs:
                _claim_header(harness, output, vc)


def _claim_header(harness: CreditHarness, output: OutputPort, vc: int) -> None:
    """Claim that all flits of a packet have one header, as the next router may assume."""
    receiver = harness.receivers[output.port, vc]
    flit = output.link_flit
    opened = harness.register(1, f"opened_{receiver.name}")
    before = harness.register(len(header_of(flit)), f"before_{receiver.name}")
    with harness.m.If(receiver.on_link):
        harness.m.d.sync += [opened.eq(~flit.last), before.eq(header_of(flit))]
    is_open, header = opened, before
    for there, newer in output.in_flight(receiver):
        harness.claim(~(there & is_open) | (header_of(newer) == header))
        is_open = Mux(there, ~newer.last, is_open)
        header = Mux(there, header_of(newer), header)
    harness.claim(output.busy(vc) == is_open)
    for channel, turn in senders(harness, output, vc):
        packet = channel.departing(turn)
        harness.claim(~packet.open | (packet.header == header))


def link_properties(base: tuple[Property, ...]) -> tuple[Property, Property]:
    """Properties of what leaves, which rest on `base`: queues, packets, holders and grants."""
    crossing = Property(
        name="crossing",
        text="a flit that is granted is on its link in the next cycle, or in the one after with "
        "pipeline=3, whole and alone; to the node, it waits at the gate",
        claim=_claim_crossing,
        lemmas=base,
    )
    wormhole = Property(
        name="wormhole",
        text="a virtual channel carries the flits of one packet from its head to its tail, "
        "without parity all with one header",
        claim=_claim_wormhole,
        lemmas=(*base, crossing),
    )
    return crossing, wormhole


def _claim_ejection(harness: CreditHarness) -> None:
    for port in harness.kind.node_ports:
        output = harness.outputs[port]
        waits = harness.probe(harness.component("", CreditRouter).ejected[port])
        if harness.network.has_multicast:
            full = claim_shared_ejection(harness, port, output.flit, waits[0])
        else:
            full = claim_ejected(harness, port, output.flit, waits)
        harness.claim(output.has_space(0) == ~full)


def _claim_held_beats(harness: CreditHarness) -> None:
    for port in harness.kind.node_ports:
        claim_held_beats(harness, port)


EJECTION = Property(
    name="ejection",
    text="the node gets the flits at the gate, each once, in order",
    claim=_claim_ejection,
)
STREAMS = Property(
    name="streams",
    text="on m_axis, valid and payload stay until a transfer",
    claim=_claim_held_beats,
    lemmas=(EJECTION,),
)


def _claim_progress(harness: CreditHarness) -> None:
    harness.assume(harness.any_length != 0)
    for output in harness.outputs.values():
        passed = [_count_passed(harness, output, vc) for vc in output.vcs]
        for number in range(len(output.fronts)):
            _claim_waits(harness, output, number, passed)


def _count_passed(harness: CreditHarness, output: OutputPort, vc: int) -> Value:
    """Flits of the packet under way in a virtual channel that were granted it."""
    count = harness.register(LENGTH_BITS, f"passed_{output.name}_vc{vc}")
    taken = harness.named(output.taken(vc), f"taken_{output.name}_vc{vc}")
    longer = (count + 1)[:LENGTH_BITS]
    with harness.m.If(taken):
        harness.m.d.sync += count.eq(Mux(output.tail, 0, longer))
    # Packets end.
    harness.assume(~taken | output.tail | (count + 1 < harness.any_length))
    harness.claim(count < harness.any_length)
    return count


def _claim_waits(
    harness: CreditHarness, output: OutputPort, number: int, passed: list[Value]
) -> None:
    """Claim how many packets, and how many flits, are granted before an eligible one."""
    count = len(output.fronts)
    eligible, granted = output.eligible[number], output.granted[number]
    waits = eligible & ~granted
    name = f"{output.name}_{number}"
    tails = harness.register(range(count + 1), f"tails_{name}")
    flits = harness.register(range((count + len(passed)) << LENGTH_BITS), f"flits_{name}")
    harness.m.d.sync += [
        tails.eq(Mux(waits, tails + output.tail, 0)),
        flits.eq(Mux(waits, flits + output.is_open, 0)),
    ]
    ahead: Value = sum(
        (output.first[other, number] for other in range(count) if other != number),
        start=Value.cast(0),
    )
    harness.claim(~eligible | (tails + ahead < count))
    most: Value = sum(passed, start=Value.cast(0))
    for more in range(1, count):
        most = most + (harness.any_length & (tails >= more).replicate(LENGTH_BITS))
    harness.claim(~eligible | (flits <= most))
    if harness.rivals(output.fronts[number], output):
        harness.cover(granted & (tails != 0))


def progress_property(kind: RouterKind, base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues and grants."""
    pairs = {(turn.input_port, turn.output_port) for turn in kind.turns}
    outputs = [output for _, output in pairs]
    rivals = max(outputs.count(output) for output in outputs) - 1
    channels = max(len(kind.output_vcs(output)) for output in outputs)
    return Property(
        name="progress",
        text=f"a flit that stays eligible waits for at most {rivals} tails of others, and leaves "
        f"within {rivals} L + {channels} (L - 1) + 1 cycles (L: flits in the longest packet)",
        claim=_claim_progress,
        lemmas=base,
    )
